/**
 * A mail server on this machine, which receives over SMTP what the service in a test sends.
 *
 * `TestApp.layer` has one, which starts with the first mail. A test takes `const mailbox = yield* Mailbox` and waits
 * for a mail by `yield* mailbox.mailTo("freya@example.com")`: that sends all mails that are due, and answers the newest
 * one to this address, read: `subject`, `text`, `html`, `toName`, `messageId`. `mailbox.codeTo(address)` answers the six
 * digits in it, `mailbox.deliver` only sends what is due, `mailbox.received` has all mails of all addresses, oldest
 * first, and `mailbox.clear` forgets them.
 *
 * `mailbox.behaviour.current` says what the server does: it accepts mails (`{ _tag: "Accept" }`); refuses recipients
 * (`{ _tag: "Refuse", code: 550, message: "No such user" }`; codes from 400 on pass, from 500 on they do not); ends the
 * connection in the midst of a mail (`Drop`); or has a mail and does not say so (`Hold`) until `mailbox.release`.
 * `mailbox.untilReceived(n)` waits until the server has got n mails since it was cleared.
 *
 * A service without a mail server is `TestApp.withoutMail`.
 */
import type { AddressInfo, Socket } from "node:net"
import { Context, Effect, Layer, Scope } from "effect"
import { SMTPServer } from "smtp-server"
import { MailSending } from "../../src/domain/mail/MailSending.ts"
import { MailTransport } from "../../src/domain/mail/MailTransport.ts"
import { make } from "../../src/layers/adapters/mail/SmtpTransport.ts"
import { type ReadMail, readMail } from "./mime.ts"

export type Behaviour =
  | { readonly _tag: "Accept" }
  | { readonly _tag: "Refuse"; readonly code: number; readonly message: string }
  | { readonly _tag: "Drop" }
  | { readonly _tag: "Hold" }

export interface Received extends ReadMail {
  /** Of the envelope. */
  readonly to: ReadonlyArray<string>
}

/** What the mails of tests are from. */
export const sender = { name: "Forum", address: "forum@forum.test" }

const makeState = () => ({
  received: [] as Array<Received>,
  behaviour: { current: { _tag: "Accept" } as Behaviour },
  /** Answers that the server holds back. */
  held: [] as Array<() => void>,
  waiting: [] as Array<() => void>,
  sockets: new Set<Socket>(),
  /** Connections at the same time, at most. */
  connections: { most: 0 }
})
type State = ReturnType<typeof makeState>

const keep = (state: State, one: Received) => {
  state.received.push(one)
  for (const check of state.waiting) check()
}

const makeServer = (state: State) => {
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    onRcptTo(_address, _session, done) {
      const { current } = state.behaviour
      if (current._tag !== "Refuse") return done()
      done(Object.assign(new Error(current.message), { responseCode: current.code }))
    },
    onData(stream, session, done) {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { current } = state.behaviour
        if (current._tag === "Drop") {
          for (const socket of state.sockets) socket.destroy()
          return
        }
        if (current._tag === "Hold") state.held.push(() => done())
        const to = session.envelope.rcptTo.map(({ address }) => address)
        keep(state, { ...readMail(Buffer.concat(chunks).toString()), to })
        if (current._tag !== "Hold") done()
      })
    }
  })
  server.server.on("connection", (socket: Socket) => {
    state.sockets.add(socket)
    state.connections.most = Math.max(state.connections.most, state.sockets.size)
    socket.on("close", () => state.sockets.delete(socket))
  })
  // A connection that ends early is an error to it.
  server.on("error", () => {})
  return server
}

/** Starts it on a free port, until the scope ends. */
const start = (state: State) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: SMTPServer; readonly port: number }>((resume) => {
      const server = makeServer(state)
      const listener = server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({ server, port: (listener.address() as AddressInfo).port }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        for (const socket of state.sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

const mailboxOf = (state: State) => {
  const deliver = Effect.flatMap(MailSending, ({ drain }) => drain)

  /** The newest mail to this address, after all that are due have been sent. */
  const mailTo = Effect.fnUntraced(function* (address: string) {
    yield* deliver
    const found = state.received.findLast(({ to }) => to.includes(address))
    return found ?? (yield* Effect.die(new Error(`There is no mail to ${address}`)))
  })

  return {
    received: state.received,
    behaviour: state.behaviour,
    connections: state.connections,
    deliver,
    mailTo,
    /** The six digits in the newest mail to this address. */
    codeTo: (address: string) =>
      Effect.map(mailTo(address), ({ text }) => /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? ""),
    untilReceived: (count: number) =>
      Effect.callback<void>((resume) => {
        const check = () => {
          if (state.received.length >= count) resume(Effect.void)
        }
        state.waiting.push(check)
        check()
      }),
    /** Lets the server accept mails, those that it holds included. */
    release: Effect.sync(() => {
      state.behaviour.current = { _tag: "Accept" }
      for (const answer of state.held.splice(0)) answer()
    }),
    clear: Effect.sync(() => {
      state.received.length = 0
      state.behaviour.current = { _tag: "Accept" }
    })
  }
}

export class Mailbox extends Context.Service<Mailbox, ReturnType<typeof mailboxOf>>()("test/Mailbox") {}

/** A mail server for a service in another process, until the scope ends. */
export const serve = Effect.suspend(() => {
  const state = makeState()
  return Effect.map(start(state), ({ port }) => ({ port, ...mailboxOf(state) }))
})

/** A transport to a mail server of its own, which starts with the first mail. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const state = makeState()
    const scope = yield* Effect.scope
    const transport = yield* Effect.cached(
      Effect.map(Scope.provide(start(state), scope), ({ port }) =>
        make({
          server: { host: "127.0.0.1", port, encryption: "off", isVerified: false, user: undefined },
          sender,
          greetsAs: "forum.test"
        })
      )
    )
    const sending = MailTransport.of({
      send: (mail) => Effect.flatMap(transport, ({ send }) => send(mail)),
      check: Effect.flatMap(transport, ({ check }) => check)
    })
    return Context.make(Mailbox, mailboxOf(state)).pipe(Context.add(MailTransport, sending))
  })
)

/** No mail server. */
export const none = Layer.succeed(MailTransport, undefined)
