// Opens an exported log in 'inspect view' with Chromium: the list of samples, then messages, transcript and scores of
// one. Waits until each shows its texts, and takes a picture of it.
//
//   node open_view.mjs CHROMIUM URL WANTED.json FOLDER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// The package lies in the folder of the check, from which this is started.
const puppeteer = createRequire(`${process.cwd()}/`)("puppeteer-core");
const [chromium, url, wanted, folder] = process.argv.slice(2);
const { pages } = JSON.parse(readFileSync(wanted, "utf8"));
const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 1000 });
  for (const { name, path, texts } of pages) {
    await page.goto(`${url}/${path}`, { waitUntil: "load", timeout: 120_000 });
    // Only what follows the mark changed: the page is made anew.
    await page.reload({ waitUntil: "load", timeout: 120_000 });
    for (const text of texts) {
      await page.waitForFunction((text) => document.body.innerText.includes(text), { timeout: 120_000 }, text);
    }
    await page.screenshot({ path: `${folder}/${name}.png` });
    console.log(`inspect view shows ${name}`);
  }
} finally {
  await browser.close();
}
