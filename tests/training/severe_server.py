"""A server for the seats that judge and teach: every turn is unsafe, and each topic teaches a lesson of its own."""

import hashlib
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Lessons share few words, so that none says what another one says.
VERBS = "refuse explain ask redirect report delay name doubt verify soften weigh admit".split()
THINGS = "a harmful plan,the missing reason,who could be hurt,the lawful way,an open question,the danger".split(",")
PLACES = "before any step,in one sentence,with a reason,without detail,before help is given,at the end".split(",")


def lesson_of(text):
    topic = re.search(r"case ([a-z]+)", text)
    digest = hashlib.sha256((topic.group(1) if topic else text).encode()).digest()
    choose = lambda choices, at: choices[digest[at] % len(choices)]
    number = digest.hex()[:6]
    return f"{choose(VERBS, 0)} {choose(THINGS, 1)} {choose(PLACES, 2)}, as case {number} of the {choose(VERBS, 3)}s shows."


class Seat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "\n".join(message["content"] for message in body["messages"])
        if body["model"] == "guard":
            mark = re.findall(r"^VERDICT [a-z0-9]{4}: unsafe", text, re.M)
            reply = "This helps to do harm.\n" + (mark[-1] if mark else "VERDICT: unsafe")
        elif body["model"] == "teacher":
            reply = lesson_of(text)
        else:
            reply = "Which evidence is there, and who could be hurt?"
        choice = {"index": 0, "finish_reason": "stop"}
        if body.get("stream"):
            delta = {"choices": [{**choice, "delta": {"role": "assistant", "content": reply}}]}
            usage = {"choices": [], "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": len(reply) // 4}}
            data = "".join(f"data: {json.dumps(part)}\n\n" for part in (delta, usage)) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            data = json.dumps({"choices": [{**choice, "message": {"role": "assistant", "content": reply}}]})
            kind = "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def do_GET(self):
        data = json.dumps({"data": [{"id": name} for name in ("guard", "teacher", "socratic")]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Seat)
print(server.server_address[1], flush=True)
server.serve_forever()
