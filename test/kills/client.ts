/** A client that sends a request with a key until it sees an answer. */
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import type { Chance } from "./chance.ts"

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** Below `/api`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

export interface Answer {
  readonly status: number
  readonly text: string
  /** Whether it is the answer to an earlier request. */
  readonly isReplayed: boolean
}

/** A connection on which nothing comes for so long is given up, in milliseconds. */
const patience = 60_000

const attempt = (port: number, { body, headers, method, path }: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: `/api${path}`,
        method,
        agent: false,
        timeout: patience,
        headers: {
          ...headers,
          ...(bytes === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) })
        }
      },
      (message) => {
        const isReplayed = message.headers["idempotency-replayed"] === "true"
        text(message).then(
          (text) => resolve({ status: message.statusCode ?? 0, text, isReplayed }),
          // The connection was lost within the answer.
          reject
        )
      }
    )
    sent.on("timeout", () => sent.destroy(new Error("There is no answer")))
    sent.on("error", reject)
    sent.end(bytes)
  })

/** Whether an answer says what a request came to, and not that it may be sent again. */
const isFinal = ({ status, text }: Answer) =>
  status < 500 && status !== 429 && !text.includes("/idempotency-key-in-progress")

/** How requests fared. */
export interface Fared {
  sent: number
  /** Sent, and not answered. */
  unseen: number
  /** Answered that they may be sent again, by status. */
  readonly refused: Map<number, number>
  /** Answers to requests that were done before. */
  replayed: number
  /** The longest time until an answer was seen, in milliseconds. */
  longest: number
}

export const newFared = (): Fared => ({ sent: 0, unseen: 0, refused: new Map(), replayed: 0, longest: 0 })

/** Of how many requests one is sent to both instances at the same time. */
const hurried = 0.1

const longestPause = 400

export interface Client {
  /** Sends a request until it is answered; fails if it was done more than once, or is told otherwise than before. */
  readonly once: (request: Request, key?: string) => Promise<Answer>
  /** Sends a request that changes nothing until it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape, of which checks read what they compare.
  readonly read: (path: string, headers: Readonly<Record<string, string>>) => Promise<any>
}

/** A client of two instances. */
export const makeClient = (ports: readonly [number, number], chance: Chance, fared: Fared): Client => {
  const send = async (to: ReadonlyArray<number>, asked: Request) => {
    const answers = await Promise.all(to.map((port) => attempt(port, asked).catch(() => undefined)))
    fared.sent += to.length
    for (const answer of answers) {
      if (answer === undefined) fared.unseen += 1
      else if (!isFinal(answer)) fared.refused.set(answer.status, (fared.refused.get(answer.status) ?? 0) + 1)
      else if (answer.isReplayed) fared.replayed += 1
    }
    return answers.filter((answer) => answer !== undefined).filter(isFinal)
  }

  const until = async <A>(again: () => Promise<A | undefined>): Promise<A> => {
    for (;;) {
      const answer = await again()
      if (answer !== undefined) return answer
      await setTimeout(10 + chance.below(longestPause))
    }
  }

  const some = () => [ports[chance.below(2)] ?? 0]

  return {
    once: async (asked, key = randomUUID()) => {
      const begun = performance.now()
      const keyed = { ...asked, headers: { ...asked.headers, "idempotency-key": key } }
      const answer = await until(async () => {
        const answers = await send(chance.next() < hurried ? ports : some(), keyed)
        const [first, second] = answers.toSorted((a, b) => Number(a.isReplayed) - Number(b.isReplayed))
        if (first === undefined || second === undefined) return first
        if (!second.isReplayed) throw new Error(`Done twice: ${first.text} and ${second.text}`)
        if (first.text !== second.text) throw new Error(`Told otherwise: ${first.text} and ${second.text}`)
        return first
      })
      fared.longest = Math.max(fared.longest, performance.now() - begun)
      return answer
    },
    read: (path, headers) =>
      until(async () => {
        const [answer] = await send(some(), { method: "GET", path, headers })
        if (answer !== undefined && answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
        return answer === undefined ? undefined : JSON.parse(answer.text)
      })
  }
}
