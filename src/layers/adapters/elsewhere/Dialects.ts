/** The two providers without OpenID, and what each of them tells of its people. */
import { Effect, Schema } from "effect"
import type { Identity } from "../../../domain/elsewhere/IdentityProviders.ts"
import type { Dialect } from "./PlainOAuth.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

const textsOf = (...given: ReadonlyArray<string | null | undefined>) =>
  given.filter((one) => one !== undefined && one !== null)

const GitHubUser = Schema.Struct({ id: Schema.Int, login: Schema.String, name: text })

const GitHubEmails = Schema.Array(
  Schema.Struct({ email: Schema.String, primary: Schema.Boolean, verified: Schema.Boolean })
)

/** Of the addresses of somebody at GitHub, the one that it writes to counts, if it is verified. */
export const gitHub: Dialect = {
  authorise: "https://github.com/login/oauth/authorize",
  token: "https://github.com/login/oauth/access_token",
  scope: "read:user user:email",
  whoIs: Effect.fnUntraced(function* (ask) {
    const { id, login, name } = yield* ask("https://api.github.com/user", GitHubUser)
    const emails = yield* ask("https://api.github.com/user/emails", GitHubEmails)
    return {
      issuer: "https://github.com",
      subject: String(id),
      names: textsOf(login, name),
      verifiedEmail: emails.find(({ primary, verified }) => primary && verified)?.email
    } satisfies Identity
  })
}

const DiscordUser = Schema.Struct({
  id: Schema.String,
  username: Schema.String,
  global_name: text,
  email: text,
  verified: Schema.optionalKey(Schema.Boolean)
})

export const discord: Dialect = {
  authorise: "https://discord.com/oauth2/authorize",
  token: "https://discord.com/api/oauth2/token",
  scope: "identify email",
  whoIs: Effect.fnUntraced(function* (ask) {
    const user = yield* ask("https://discord.com/api/users/@me", DiscordUser)
    return {
      issuer: "https://discord.com",
      subject: user.id,
      names: textsOf(user.username, user.global_name),
      verifiedEmail: user.verified === true ? (user.email ?? undefined) : undefined
    } satisfies Identity
  })
}
