/** Who follows the stream of changes, and goes on where it was whenever the connection is lost. */
import { request } from "node:http"
import { setTimeout } from "node:timers/promises"
import type { Chance } from "./chance.ts"

export interface Told {
  /** The same for everybody who is told of it. */
  readonly id: string
  /** The name of the change, and the id of what was changed. */
  readonly key: string
}

/** The name of a change of the kinds that are counted here, and the id of what it is about. */
export const keyOf = (event: Readonly<Record<string, string>>) =>
  `${event.event} ${event.reply_id ?? event.post_id ?? event.id}`

export interface Follower {
  readonly told: ReadonlyArray<Told>
  /** How often it connected. */
  readonly connections: () => number
  readonly leave: () => void
}

/** Follows at one of these ports, from a cursor on. */
export const follow = (
  ports: readonly [number, number],
  headers: Readonly<Record<string, string>>,
  from: string,
  chance: Chance
): Follower => {
  const told: Array<Told> = []
  let connections = 0
  let cursor = from
  let isOver = false
  let leave = () => {}

  const take = (frame: string) => {
    const [, id] = /^id: (.*)$/m.exec(frame) ?? []
    const [, data] = /^data: (.*)$/m.exec(frame) ?? []
    if (id === undefined || data === undefined) return
    cursor = id
    const entry = JSON.parse(data)
    told.push({ id: entry.id, key: keyOf(entry.event) })
  }

  const connect = () =>
    new Promise<void>((resolve) => {
      const path = "/api/changes/stream"
      const sent = request(
        {
          host: "127.0.0.1",
          port: ports[chance.below(2)],
          path,
          agent: false,
          headers: { ...headers, "last-event-id": cursor }
        },
        (message) => {
          if (message.statusCode === 200) connections += 1
          let rest = ""
          message.setEncoding("utf8").on("data", (part: string) => {
            const frames = `${rest}${part}`.split("\n\n")
            rest = frames.pop() ?? ""
            frames.forEach(take)
          })
          message.on("error", () => {}).on("close", resolve)
        }
      )
      sent.on("error", () => resolve())
      leave = () => sent.destroy()
      sent.end()
    })

  const following = async () => {
    while (!isOver) {
      await connect()
      await setTimeout(100)
    }
  }
  following()

  return {
    told,
    connections: () => connections,
    leave: () => {
      isOver = true
      leave()
    }
  }
}
