/** Uploads of which a test decides what is sent, and when. */
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import type { Person } from "./people.ts"
import { port } from "./raw.ts"

export interface Upload {
  readonly sent: ReturnType<typeof request>
  readonly answer: Effect.Effect<{ readonly status: number; readonly text: string }>
  readonly breakOff: () => void
}

/** Begins to upload a file of so many bytes, or of a length that nobody states. */
export const begin = (
  person: Pick<Person, "headers">,
  length: number | undefined,
  path = "/api/assets"
): Effect.Effect<Upload, never, Effect.Services<typeof port>> =>
  Effect.map(port, (port) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      agent: false,
      headers: { ...person.headers, ...(length === undefined ? {} : { "content-length": length }) }
    })
    sent.flushHeaders()
    const answer = new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      sent.on("error", reject)
      sent.on("response", (message) => {
        text(message).then((text) => resolve({ status: message.statusCode ?? 0, text }), reject)
      })
    })
    // Who breaks off awaits no answer.
    answer.catch(() => {})
    return { sent, answer: Effect.promise(() => answer), breakOff: () => sent.destroy() }
  })
