// Opens pages in Chromium, light and dark, wide and narrow: a screenshot of each, no message on the console, no request
// beside the file itself, no script, nothing wider than the window, and nothing serious or critical by axe-core.
//
//   node check.mjs CHROMIUM FOLDER PAGE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , chromium, folder, ...pages] = process.argv;
// The packages lie in the folder from which this is called.
const require = createRequire(join(process.cwd(), "package.json"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
// The engine runs beside the page, whose own policy would refuse it.
const rules = { resultTypes: ["violations"] };

const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"] });
let faults = 0;
const fault = (text) => {
  faults += 1;
  console.error(`FAULT ${text}`);
};

async function check(file, scheme, width) {
  const name = `${basename(file, ".html")}-${scheme}-${width}`;
  const page = await browser.newPage();
  await page.setViewport({ width, height: 1000 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => fault(`${name}: console: ${message.text()}`));
  page.on("pageerror", (error) => fault(`${name}: ${error}`));
  const address = pathToFileURL(resolve(file)).href;
  await page.goto(address);
  if (requests.length !== 1) fault(`${name}: asked for ${requests.slice(1).join(", ")}`);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  const found = await page.evaluate(() => ({
    scripts: document.scripts.length,
    scrolled: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    paper: getComputedStyle(document.documentElement).backgroundColor,
  }));
  if (found.scripts > 0) fault(`${name}: holds a script`);
  if (found.scrolled > 0) fault(`${name}: is ${found.scrolled} pixels wider than the window`);
  const isDark = found.paper !== "rgb(255, 255, 255)";
  if (isDark !== (scheme === "dark")) fault(`${name}: is ${found.paper}`);
  // Where a link of the table of verdicts leads, the folded debate opens.
  const link = await page.$("table.matrix td a");
  if (link) {
    await link.evaluate((one) => one.click());
    const isOpen = await page.evaluate(() => {
      const target = document.querySelector(":target");
      return target?.closest("details")?.open ?? false;
    });
    if (!isOpen) fault(`${name}: a link of the table leads to a folded debate`);
    await page.screenshot({ path: join(folder, `${name}-turn.png`) });
  }
  const world = await page.createCDPSession();
  const { frameTree } = await world.send("Page.getFrameTree");
  const { executionContextId } = await world.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  const run = (expression, awaitPromise) =>
    world.send("Runtime.evaluate", {
      expression,
      awaitPromise,
      returnByValue: true,
      contextId: executionContextId,
    });
  await run(axe, false);
  const { result, exceptionDetails } = await run(
    `axe.run(document, ${JSON.stringify(rules)}).then((result) => result.violations.map((one) => ({
      id: one.id, impact: one.impact, help: one.help, nodes: one.nodes.length,
      first: one.nodes[0].html.slice(0, 200) })))`,
    true,
  );
  if (exceptionDetails) fault(`${name}: axe-core: ${exceptionDetails.text}`);
  for (const one of result.value ?? []) {
    const text = `${name}: ${one.impact} ${one.id} (${one.nodes}): ${one.help}: ${one.first}`;
    if (["serious", "critical"].includes(one.impact)) fault(text);
    else console.log(`note ${text}`);
  }
  await page.close();
}

for (const file of pages) {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1200, 390]) {
      await check(file, scheme, width);
    }
  }
}
await browser.close();
console.log(`${pages.length} pages, ${faults} faults; screenshots in ${folder}`);
process.exit(faults > 0 ? 1 : 0);
