/** Where webhooks go, what they are told of, and what follows from an attempt. Pure. */
import { DateTime, Duration } from "effect"
import { NetAddress } from "effect/net"
import type { ChangeName } from "../change/Changes.ts"
import {
  decideDial,
  type Host,
  hostOf,
  isOpened,
  type OpenedNetworks,
  portOf,
  readTarget
} from "../outbound/OutboundRules.ts"
import { everything, type WebhookEvent } from "./Webhook.ts"
import { type addressRefusals, waitingMax } from "./WebhookRefusal.ts"

export type AddressRefusal = (typeof addressRefusals)[number]

/** The addresses that a host is known to have without looking it up. */
const knownAddresses = (host: Host): ReadonlyArray<NetAddress.IpAddress> => {
  if (host._tag === "Address") return [host.address]
  return host._tag === "ThisMachine" ? NetAddress.loopbackAddresses : []
}

/** What a webhook may be sent to, or why it may not. What a name stands for is decided with each request. */
export const decideAddress = (text: string, opened: OpenedNetworks): URL | AddressRefusal => {
  const url = readTarget(text)
  if (url === "downgrade") return "scheme"
  if (typeof url === "string") return url
  const host = hostOf(url)
  const decisions = knownAddresses(host).map((address) => decideDial(address, portOf(url), opened))
  const refusal = decisions.find((decision) => decision !== "dial")
  if (refusal !== undefined && (host._tag === "Address" || !decisions.includes("dial"))) return refusal
  if (url.protocol === "https:") return url
  const isWithin =
    host._tag === "Name"
      ? opened.length > 0
      : knownAddresses(host).some((address) => isOpened(address, opened))
  return isWithin ? url : "scheme"
}

/** What is stored of the names that somebody asks for: each once, or that it is all of them. */
export const wantedOf = (events: ReadonlyArray<WebhookEvent>): ReadonlyArray<WebhookEvent> =>
  events.includes(everything) ? [everything] : [...new Set(events)]

export const wants = (events: ReadonlyArray<WebhookEvent>, name: ChangeName): boolean =>
  events.includes(everything) || events.includes(name)

/** Whether a webhook for which so many wait gets so many more; otherwise it is disabled. */
export const hasRoomFor = (waiting: number, more: number): boolean => waiting + more <= waitingMax

/** The pauses after failures, to which up to a tenth is added. */
const pauses = [5, 60, 5 * 60, 30 * 60, 2 * 3600, 8 * 3600, 24 * 3600].map((seconds) =>
  Duration.seconds(seconds)
)

/** How often something is tried to be delivered without anybody asking for another try. */
export const triesMax = pauses.length + 1

/** How many deliveries to a webhook run at the same time, on all instances together. The database holds it, too. */
export const parallelOfOne = 4

/** Attempts that are kept of a delivery, the last ones. */
export const attemptsKept = 20

/** How long deliveries are kept. */
export const keptFor = Duration.days(30)

/** How long a webhook may fail. */
export const failingMax = Duration.days(3)

/** How long a secret that was replaced goes on signing. */
export const signsOnFor = Duration.hours(24)

/** When the next try is, after this many, from 1; nothing if there is none. `chance` is from 0 to 1. */
export const decideNextTry = (tries: number, now: DateTime.Utc, chance: number): DateTime.Utc | undefined => {
  const pause = pauses[tries - 1]
  return pause && DateTime.addDuration(now, Duration.times(pause, 1 + chance / 10))
}

/** An attempt to deliver something, as it is kept. */
export interface Attempt {
  readonly at: DateTime.Utc
  readonly milliseconds: number
  /** The status of the answer, and the beginning of its body; if there is none, why. */
  readonly status: number | undefined
  readonly answer: string | undefined
  readonly error: string | undefined
}

export const isSuccess = ({ status }: Pick<Attempt, "status">): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Whether the receiver says that it takes nothing any more. */
export const isGone = ({ status }: Pick<Attempt, "status">): boolean => status === 410

/** Why a webhook is disabled after a failure, of which the first was at `failingSince`; undefined if it is not. */
export const decideDisabling = (
  attempt: Pick<Attempt, "status">,
  failingSince: DateTime.Utc,
  now: DateTime.Utc
): "gone" | "failing" | undefined => {
  if (isGone(attempt)) return "gone"
  return DateTime.isGreaterThan(DateTime.addDuration(failingSince, failingMax), now) ? undefined : "failing"
}

/** How much of the body of an answer is taken. */
export const answerBytes = 1024

const secretForm = /whsec_[\w+/=-]+/g

/** What is kept of the body of an answer: what can be stored of its text, without the secret that it may repeat. */
export const keptAnswer = (body: Uint8Array): string | undefined => {
  const text = new TextDecoder().decode(body).replaceAll("\0", "\ufffd").replace(secretForm, "whsec_…")
  return text === "" ? undefined : text
}
