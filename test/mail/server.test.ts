/** How mails are handed over: encryption, passwords, and what an administrator reads if the server refuses. */
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { MailTransport } from "../../src/domain/mail/MailTransport.ts"
import { EmailId } from "../../src/domain/shared/Id.ts"
import { make } from "../../src/layers/adapters/mail/SmtpTransport.ts"
import { readMailServer } from "../../src/layers/process/MailAddresses.ts"
import { mailFinding } from "../../src/operator/doctor/mail.ts"
import { sender } from "../support/mailbox.ts"
import { mail } from "./support.ts"

const password = "a secret: 100%"

interface Session {
  readonly isSecure: boolean
  readonly user: string | undefined
  readonly greeted: string | undefined
}

/** A server that takes mails from one user, with a certificate that nobody vouches for. */
const serve = (options: SMTPServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: SMTPServer; readonly port: number; readonly taken: Array<Session> }>(
      (resume) => {
        const taken: Array<Session> = []
        const server = new SMTPServer({
          logger: false,
          disableReverseLookup: true,
          onAuth(given, _session, done) {
            if (given.username === "odin" && given.password === password) done(null, { user: "odin" })
            else done(new Error(`Wrong password for ${given.username}`))
          },
          onData(stream, session, done) {
            stream.resume()
            stream.on("end", () => {
              taken.push({
                isSecure: session.secure,
                user: typeof session.user === "string" ? session.user : undefined,
                greeted: session.hostNameAppearsAs || undefined
              })
              done()
            })
          },
          ...options
        })
        server.on("error", () => {})
        const listener = server.listen(0, "127.0.0.1", () => {
          resume(Effect.succeed({ server, taken, port: (listener.address() as AddressInfo).port }))
        })
      }
    ),
    ({ server }) => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
  )

const outgoing = {
  ...mail("freya@example.com"),
  id: EmailId.make("dc0qdtnkhh6uivg000a0"),
  queuedAt: DateTime.makeUnsafe("2026-01-02T03:04:05Z")
}

/** Sends a mail by the settings that this address is, and answers why not if it was refused. */
const send = (address: string) => {
  const server = readMailServer(address) ?? assert.fail(address)
  return make({ server, sender, greetsAs: "forum.test" })
    .send(outgoing)
    .pipe(
      Effect.as(undefined),
      Effect.catchTag("MailFailed", ({ reason }) => Effect.succeed(reason))
    )
}

const user = `odin:${encodeURIComponent(password)}@`

describe("a mail server", () => {
  it.live("is found out to take mails, or why not, without a mail", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve()
      const check = (address: string) => {
        const server = readMailServer(address) ?? assert.fail(address)
        const transport = make({ server, sender, greetsAs: "forum.test" })
        return Effect.provideService(mailFinding, MailTransport, transport)
      }
      assert.strictEqual((yield* check(`smtp://${user}127.0.0.1:${port}`)).level, "ok")
      const refused = yield* check(`smtp://odin:wrong@127.0.0.1:${port}`)
      assert.strictEqual(refused.level, "fail")
      assert.include(refused.says, "535")
      assert.notInclude(refused.says, "wrong@")
      assert.strictEqual((yield* check("smtp://127.0.0.1:1")).level, "fail")
      assert.strictEqual((yield* Effect.provideService(mailFinding, MailTransport, undefined)).level, "ok")
      assert.deepStrictEqual(taken, [])
    }).pipe(Effect.scoped)
  )

  it.live("is signed in to where the settings have a user", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve()
      assert.isUndefined(yield* send(`smtp://${user}127.0.0.1:${port}`))
      assert.deepStrictEqual(taken, [{ isSecure: true, user: "odin", greeted: "forum.test" }])
      const refused = yield* send(`smtp://odin:wrong@127.0.0.1:${port}`)
      assert.include(refused, "535")
      assert.notInclude(refused, "wrong@")
      assert.isString(yield* send(`smtp://127.0.0.1:${port}`))
      assert.lengthOf(taken, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is spoken to encrypted where it offers that, unless the address says otherwise", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve({ authOptional: true })
      const secureAfter = (query: string) =>
        Effect.map(send(`smtp://127.0.0.1:${port}${query}`), (reason) => reason ?? taken.at(-1)?.isSecure)
      assert.isTrue(yield* secureAfter(""))
      assert.isTrue(yield* secureAfter("?tls=required"))
      assert.isFalse(yield* secureAfter("?tls=off"))
      // Its certificate is not good.
      assert.match(String(yield* secureAfter("?verify=on")), /self-signed|certificate/i)
      assert.lengthOf(taken, 3)
    }).pipe(Effect.scoped)
  )

  it.live("gets no mail if it offers no encryption and that is required", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve({
        authOptional: true,
        hideSTARTTLS: true,
        disabledCommands: ["STARTTLS"]
      })
      assert.isString(yield* send(`smtp://127.0.0.1:${port}?tls=required`))
      assert.deepStrictEqual(taken, [])
      assert.isUndefined(yield* send(`smtp://127.0.0.1:${port}`))
      assert.deepStrictEqual(taken[0]?.isSecure, false)
    }).pipe(Effect.scoped)
  )

  it.live("is spoken to encrypted from the first byte with smtps", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* serve({ authOptional: true, secure: true })
      assert.isUndefined(yield* send(`smtps://127.0.0.1:${port}`))
      assert.isTrue(taken[0]?.isSecure)
      assert.match(String(yield* send(`smtps://127.0.0.1:${port}?verify=on`)), /self-signed|certificate/i)
    }).pipe(Effect.scoped)
  )

  it.live("that is not there, or says a lot, is a reason of one line and at most 500 characters", () =>
    Effect.gen(function* () {
      const { port, server } = yield* serve({
        authOptional: true,
        onRcptTo(_address, _session, done) {
          done(Object.assign(new Error(`${"No\r\nsuch\u202e user. ".repeat(100)}`), { responseCode: 550 }))
        }
      })
      const reason = String(yield* send(`smtp://127.0.0.1:${port}`))
      assert.match(reason, /550/)
      assert.match(reason, /^[^\p{Cc}\u202e]*$/u)
      assert.isAtMost(Array.from(reason).length, 500)
      yield* Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
      assert.include(yield* send(`smtp://${user}127.0.0.1:${port}`), "ECONNREFUSED")
    }).pipe(Effect.scoped)
  )

  it("has a password that is not shown with its settings", () => {
    const server = readMailServer(`smtp://${user}mail.example`)
    assert.strictEqual(server?.user && Redacted.value(server.user.password), password)
    assert.notInclude(JSON.stringify(server), "secret")
    assert.notInclude(String(server?.user?.password), "secret")
  })
})
