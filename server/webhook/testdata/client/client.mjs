// A receiver of webhooks as a stranger writes it: verifies what is posted with the library standardwebhooks, and
// prints each in a line.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const verifier = new Webhook(process.argv[2]);
const server = createServer(async (request, answer) => {
  let body = "";
  for await (const part of request) body += part;
  try {
    const event = verifier.verify(body, request.headers);
    console.log("verified", request.headers["webhook-id"], JSON.stringify(event));
    answer.writeHead(204).end();
  } catch (error) {
    console.log("refused", request.headers["webhook-id"], String(error));
    answer.writeHead(400).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log("listening", server.address().port));
