"""A slow server of one model that answers by what it is asked, never by when, and writes down each answer."""

import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log, seconds = sys.argv[1], float(sys.argv[2])
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "llama", "object": "model"}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        with lock, open(log, "a", encoding="utf-8") as file:
            file.write(f"asked {digest}\n")
        time.sleep(seconds)
        text = " ".join(message["content"] for message in asked["messages"])
        number = int(hashlib.sha256(text.encode()).hexdigest(), 16)
        word = f"Point {number % 997} of it is plain."
        if "VERDICT" in text:
            mark = next((line for line in text.splitlines() if line.strip().startswith("VERDICT")), "VERDICT: safe")
            label = "unsafe" if number % 3 == 0 else "safe"
            word = f"I looked at it.\n{mark.split(':')[0].strip()}: {label}"
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": 12, "total_tokens": len(text) // 4 + 12}
        if asked.get("stream"):
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "llama"}
            events = [
                {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}]},
                {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                {**chunk, "choices": [], "usage": usage},
            ]
            text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            sent = self.send(text.encode(), "text/event-stream")
        else:
            message = {"role": "assistant", "content": word}
            sent = self.answer(
                {"id": "1", "object": "chat.completion", "created": 1, "model": "llama", "usage": usage,
                 "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
            )
        if sent:
            with lock, open(log, "a", encoding="utf-8") as file:
                file.write(f"answered {digest}\n")

    def answer(self, value):
        return self.send(json.dumps(value).encode(), "application/json")

    def send(self, body, kind):
        try:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
            return True
        except OSError:
            return False


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
