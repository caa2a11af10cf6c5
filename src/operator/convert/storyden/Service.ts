/** Asks a running service for what it has. A request that fails is repeated, as long and as often as is worth it. */
import { setTimeout as pause } from "node:timers/promises"
import { Redacted } from "effect"
import { OperatorFailure } from "../../OperatorFailure.ts"
import { refuse } from "../shared/Bytes.ts"

/** How often a request is tried that nobody answers, or that the service cannot answer now. */
export const triesMax = 8

/** How often a service may ask to wait: an hour's budget of requests may be used up many times. */
const waitsMax = 1000

/** How long is waited before the next try, in seconds; the service may ask for more than the first, not for more than the second. */
const waitMax = { own: 30, asked: 3600 }

/** How long an answer may take to begin and to go on, in seconds. */
const answerMax = 120

/** How long an answer in JSON may be, in bytes. The service has 8 MiB at most. */
export const jsonMax = 32 * 1024 * 1024

/** How long a file may be, in bytes. */
export const fileMax = 1024 * 1024 * 1024

export interface Connecting {
  /** Where the service is, without `/api`. */
  readonly address: string
  readonly key: Redacted.Redacted
  readonly signal: AbortSignal
  /** Is told how many bytes were received. */
  readonly told: (bytes: number) => void
  /** For tests: waits so many milliseconds. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined
}

/** An answer other than the one that was asked for, which the same request would have again. */
export class NotAnswered extends Error {
  readonly status: number
  constructor(status: number, path: string) {
    super(`GET ${path} answers ${status}`)
    this.status = status
  }
}

/** A failure that the next try may not have. `seconds` is what the service asked to wait. */
class Passing extends Error {
  readonly seconds: number | undefined
  readonly isAsked: boolean
  constructor(message: string, seconds?: number, isAsked = false) {
    super(message)
    this.seconds = seconds
    this.isAsked = isAsked
  }
}

/** Where a service is, from what somebody typed. */
export const addressOf = (given: string): string => {
  const refused = refuse(`${given} is no address of a service, such as https://forum.example.`)
  if (!URL.canParse(given)) throw refused
  const { hash, host, password, pathname, protocol, search, username } = new URL(given)
  if (protocol !== "https:" && protocol !== "http:") throw refused
  if (username !== "" || password !== "") throw refuse("The address must have no name and no password.")
  if (search !== "" || hash !== "") throw refused
  return `${protocol}//${host}${pathname.replace(/\/+$/, "").replace(/\/api$/, "")}`
}

/** Seconds, or an instant as HTTP writes it. */
const secondsIn = (header: string | null): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const isPassing = (status: number) => status === 429 || (status >= 500 && status !== 501)

const checkStatus = (response: Response, path: string, address: string) => {
  if (response.status === 200) return
  if (response.status >= 300 && response.status < 400)
    throw refuse(
      `${address} leads to another address (${response.headers.get("location") ?? "unnamed"}). Name that one: the key is sent to no other.`
    )
  if (response.status === 401)
    throw refuse("The key is not valid, or no longer: the service answers 401. Make another one there.")
  if (isPassing(response.status))
    throw new Passing(
      `GET ${path} answers ${response.status}`,
      secondsIn(response.headers.get("retry-after")),
      response.status === 429
    )
  throw new NotAnswered(response.status, path)
}

/** The bytes of a body, of which no more than a bound are read. */
const bounded = async function* (
  response: Response,
  path: string,
  most: number,
  told: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > most) throw new NotAnswered(413, path)
    told(part.length)
    yield part
  }
}

export const connect = ({ address, key, signal, told, wait }: Connecting) => {
  const headers = { authorization: `Bearer ${Redacted.value(key)}`, accept: "*/*" }

  const waiting = (seconds: number) =>
    wait === undefined ? pause(seconds * 1000, undefined, { signal }) : wait(seconds * 1000)

  /** Asks once. Whatever breaks on the way is passing, and what the service answers may be. */
  const once = async <A>(path: string, read: (response: Response, alive: () => void) => Promise<A>) => {
    const silent = new AbortController()
    const timer = setTimeout(() => silent.abort(), answerMax * 1000)
    try {
      const response = await fetch(`${address}${path}`, {
        headers,
        redirect: "manual",
        signal: AbortSignal.any([signal, silent.signal])
      })
      try {
        checkStatus(response, path, address)
        return await read(response, () => timer.refresh())
      } catch (error) {
        await response.body?.cancel().catch(() => {})
        throw error
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof NotAnswered || error instanceof Passing || error instanceof OperatorFailure)
        throw error
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new Passing(`GET ${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
    } finally {
      clearTimeout(timer)
    }
  }

  const ask = async <A>(path: string, read: (response: Response, alive: () => void) => Promise<A>) => {
    let [tries, waits] = [0, 0]
    for (;;) {
      try {
        return await once(path, read)
      } catch (error) {
        if (!(error instanceof Passing)) throw error
        if (error.isAsked) waits += 1
        else tries += 1
        if (tries >= triesMax || waits >= waitsMax)
          throw refuse(`${address} does not answer: ${error.message}. The same command goes on later.`)
        const own = Math.min(waitMax.own, 2 ** Math.min(tries + waits - 1, 10)) * (0.75 + Math.random() / 4)
        await waiting(Math.max(own, Math.min(error.seconds ?? 0, waitMax.asked)))
      }
    }
  }

  return {
    address,
    /** What a path answers, as JSON of any form. */
    json: (path: string): Promise<unknown> =>
      ask(path, async (response, alive) => {
        const type = response.headers.get("content-type") ?? ""
        if (!/[/+]json\b/i.test(type))
          throw refuse(`${address}${path} answers no JSON. It is no such service.`)
        const parts: Array<Uint8Array> = []
        for await (const part of bounded(response, path, jsonMax, told)) {
          alive()
          parts.push(part)
        }
        const answer: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"))
        return answer
      }),
    /** Gives the bytes at a path, which may be begun anew, to `keep`. */
    bytes: <A>(path: string, keep: (bytes: AsyncIterable<Uint8Array>, response: Response) => Promise<A>) =>
      ask(path, (response, alive) =>
        keep(
          bounded(response, path, fileMax, (length) => {
            alive()
            told(length)
          }),
          response
        )
      )
  } as const
}

export type Service = ReturnType<typeof connect>
