/** What a forum of a test sends to people: mails and text messages, which are kept in the place of being sent. */
import { Data, Effect } from "effect"
import { MailFailed, type MailTransport, type OutgoingMail } from "../domain/mail/MailTransport.ts"
import { TextFailed, type TextMessage, type TextMessages } from "../domain/sms/TextMessages.ts"
import type { FaultState } from "./Faults.ts"

/** Nothing was sent to this address that the test has not had yet. */
export class NothingSent extends Data.TaggedError("NothingSent")<{ readonly message: string }> {}

/** A mail as it was sent. */
export type SentMail = OutgoingMail & {
  /** The first code of six digits in its text. */
  readonly code: string | undefined
  /** The addresses in its text. */
  readonly links: ReadonlyArray<string>
}

/** A text message as it was sent. */
export type SentText = TextMessage & { readonly code: string | undefined }

/** How many of each kind are kept; older ones make room. */
const keptMax = 10_000

const codeIn = (text: string) => /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0]

const makeBox = <Sent>(what: string, addressOf: (sent: Sent) => string, settle: Effect.Effect<void>) => {
  const all: Array<Sent> = []
  const unread: Array<Sent> = []
  return {
    add: (sent: Sent) => {
      for (const list of [all, unread]) {
        list.push(sent)
        if (list.length > keptMax) list.shift()
      }
    },
    clear: () => {
      all.length = 0
      unread.length = 0
    },
    /** The oldest one to this address that the test has not had yet, after all that are due were sent. */
    next: (to: string): Effect.Effect<Sent, NothingSent> =>
      Effect.andThen(
        settle,
        Effect.suspend(() => {
          const index = unread.findIndex((sent) => addressOf(sent) === to)
          const [found] = index === -1 ? [] : unread.splice(index, 1)
          return found === undefined
            ? Effect.fail(new NothingSent({ message: `There is no ${what} to ${to}` }))
            : Effect.succeed(found)
        })
      ),
    /** All that were sent since the start or the last reset, oldest first. */
    all: (): Effect.Effect<ReadonlyArray<Sent>> =>
      Effect.andThen(
        settle,
        Effect.sync(() => [...all])
      )
  }
}

export const makeMails = (faults: FaultState, settle: Effect.Effect<void>) => {
  const { add, ...box } = makeBox<SentMail>("mail", ({ address }) => address, settle)
  const isRefused = Effect.suspend(() =>
    faults.current.mails === "refused"
      ? Effect.fail(new MailFailed({ reason: "The test refuses mails" }))
      : Effect.void
  )
  const transport: MailTransport["Service"] = {
    check: isRefused,
    send: (mail) =>
      Effect.map(isRefused, () =>
        add({ ...mail, code: codeIn(mail.text), links: mail.text.match(/https?:\/\/[^\s<>"]+/g) ?? [] })
      )
  }
  return { ...box, transport }
}

export const makeTexts = (faults: FaultState, settle: Effect.Effect<void>) => {
  const { add, ...box } = makeBox<SentText>("text message", ({ to }) => to, settle)
  const transport: TextMessages["Service"] = {
    send: (message) =>
      Effect.suspend(() =>
        faults.current.texts === "refused"
          ? Effect.fail(new TextFailed({ reason: "The test refuses messages", isFinal: false }))
          : Effect.sync(() => add({ ...message, code: codeIn(message.text) }))
      )
  }
  return { ...box, transport }
}
