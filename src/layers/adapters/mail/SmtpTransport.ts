/** Hands mails over to a mail server: one connection a mail, to the server of the settings and no other. */
import { DateTime, Effect, Layer, Predicate, Redacted } from "effect"
import type SMTPConnection from "nodemailer/lib/smtp-connection"
import { toLine } from "../../../domain/field/Text.ts"
import { MailFailed, MailTransport, type OutgoingMail } from "../../../domain/mail/MailTransport.ts"
import type { MailServer, Sender } from "../../process/MailAddresses.ts"
import { Settings } from "../../process/Settings.ts"

/** How long each step may take, in milliseconds. The time for a whole mail is limited where mails are sent. */
const patience = { name: 10_000, connection: 10_000, greeting: 15_000, silence: 30_000 }

// The queue of mails keeps no more of a reason.
const reasonMax = 500

// Loaded with the first mail, as a start waits for each module.
const composer = Effect.promise(() => import("nodemailer/lib/mail-composer"))
const connections = Effect.promise(() => import("nodemailer/lib/smtp-connection"))

interface Options {
  readonly server: MailServer
  readonly sender: Sender
  /** The name by which this service greets the server. */
  readonly greetsAs: string
}

/** Why the server did not take a mail. Neither address nor password of the settings is part of it. */
const failureOf = (error: unknown): MailFailed => {
  const response = Predicate.hasProperty(error, "response") ? error.response : undefined
  const said =
    typeof response === "string" && response !== ""
      ? response
      : String(error instanceof Error ? error.message : error)
  const reason = Array.from(toLine(said)).slice(0, reasonMax).join("")
  return new MailFailed({ reason: reason === "" ? "The mail server gave no reason" : reason })
}

const composed = Effect.fnUntraced(function* ({ sender }: Options, mail: OutgoingMail) {
  const { default: MailComposer } = yield* composer
  return yield* Effect.tryPromise({
    try: () =>
      new MailComposer({
        from: { name: sender.name, address: sender.address },
        to: { name: mail.name, address: mail.address },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        date: DateTime.toDateUtc(mail.queuedAt),
        messageId: `<${mail.id}@${sender.address.slice(sender.address.lastIndexOf("@") + 1)}>`,
        // So that nobody's absence note answers.
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        disableFileAccess: true,
        disableUrlAccess: true
      })
        .compile()
        .build(),
    catch: failureOf
  })
})

const connectionOptions = ({ greetsAs, server }: Options): SMTPConnection.Options => ({
  host: server.host,
  port: server.port,
  name: greetsAs,
  secure: server.encryption === "always",
  requireTLS: server.encryption === "required",
  ignoreTLS: server.encryption === "off",
  tls: { rejectUnauthorized: server.isVerified },
  dnsTimeout: patience.name,
  connectionTimeout: patience.connection,
  greetingTimeout: patience.greeting,
  socketTimeout: patience.silence
})

type Done = (error?: unknown) => void

/** Connects to the server and signs in, then does something. Interrupted, it closes the connection. */
const converse = (
  options: Options,
  talk: (connection: SMTPConnection, done: Done) => void
): Effect.Effect<void, MailFailed> =>
  Effect.flatMap(connections, ({ default: Connection }) =>
    Effect.callback<void, MailFailed>((resume) => {
      const connection = new Connection(connectionOptions(options))
      const { server } = options
      const fail = (error: unknown) => {
        resume(Effect.fail(failureOf(error)))
        // Closing it ends it, which is no further failure: the first one counts.
        connection.close()
      }
      const done: Done = (error) => {
        if (error !== null && error !== undefined) return fail(error)
        connection.quit()
        resume(Effect.void)
      }
      connection.on("error", fail)
      connection.on("end", () => fail(new Error("The mail server closed the connection")))
      connection.connect((error) => {
        if (error !== null && error !== undefined) return fail(error)
        if (server.user === undefined) return talk(connection, done)
        const credentials = { user: server.user.name, pass: Redacted.value(server.user.password) }
        connection.login({ credentials }, (error) =>
          error === null || error === undefined ? talk(connection, done) : fail(error)
        )
      })
      return Effect.sync(() => connection.close())
    })
  )

export const make = (options: Options): NonNullable<MailTransport["Service"]> => ({
  send: (mail) =>
    Effect.flatMap(composed(options, mail), (message) =>
      converse(options, (connection, done) => {
        const envelope = { from: options.sender.address, to: [mail.address] }
        connection.send(envelope, Buffer.from(message), (error) => done(error))
      })
    ),
  check: converse(options, (_connection, done) => done())
})

/** The mail server of the settings, if there is one. */
export const layer = Layer.effect(
  MailTransport,
  Effect.map(Settings, ({ mail, publicUrl }) =>
    mail === undefined ? undefined : make({ ...mail, greetsAs: publicUrl.hostname })
  )
)
