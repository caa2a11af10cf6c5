import { createServer, type Server } from "node:http"
import { ShuttingDown } from "../http/shared/RequestProblems.ts"

const seconds = 1

/**
 * An HTTP server that answers 503 as long as no app listens to it: in the
 * moment between the opened port and the finished app, and again at the end.
 * Node would leave such requests without any answer.
 */
export const gatedServer = (): Server => {
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 })
  server.on("request", (_request, response) => {
    if (server.listenerCount("request") > 1) return
    const { explanation: _, name: __, ...problem } = ShuttingDown.declaration
    const body = JSON.stringify({ ...problem, trace_id: "0".repeat(32), metadata: { retry_after: seconds } })
    response.writeHead(problem.status, {
      "content-type": "application/problem+json",
      "content-length": Buffer.byteLength(body),
      "retry-after": String(seconds),
      connection: "close"
    })
    response.end(body)
  })
  return server
}
