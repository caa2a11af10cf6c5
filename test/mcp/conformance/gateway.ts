/** Passes requests on to the service with an access key, as the runner of the conformance tests sends no credentials. */
import { createServer, request } from "node:http"

const [port = "", service = ""] = process.argv.slice(2)
const authorization = `Bearer ${process.env.FORUM_KEY}`

createServer((asked, answer) => {
  const { headers, method, url = "/" } = asked
  const options = { method, headers: { ...headers, authorization } }
  const sent = request(new URL(url, service), options, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  sent.on("error", () => answer.destroy())
  answer.on("close", () => sent.destroy())
  asked.pipe(sent)
}).listen(Number(port), "127.0.0.1")
