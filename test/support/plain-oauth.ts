/** GitHub and Discord in the web of the tests: a token for the right code once, and what each tells for the token. */
import { createHash, randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { ServiceElsewhere } from "../../src/domain/authentication/AuthProvider.ts"
import type { ProviderElsewhere } from "../../src/domain/authentication/ProvidersElsewhere.ts"
import type { OutboundRequest } from "../../src/domain/outbound/Outbound.ts"
import * as Pages from "./pages.ts"

interface Place {
  readonly authorise: string
  readonly token: string
  readonly scope: string
  /** What is told at each address. */
  readonly told: ReadonlyArray<string>
  /** How a wrong code is refused. */
  readonly refusal: { readonly status: number; readonly body: unknown }
}

const places = {
  oauth_github: {
    authorise: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    scope: "read:user user:email",
    told: ["https://api.github.com/user", "https://api.github.com/user/emails"],
    refusal: { status: 200, body: { error: "bad_verification_code" } }
  },
  oauth_discord: {
    authorise: "https://discord.com/oauth2/authorize",
    token: "https://discord.com/api/oauth2/token",
    scope: "identify email",
    told: ["https://discord.com/api/users/@me"],
    refusal: { status: 400, body: { error: "invalid_grant" } }
  }
} as const satisfies Partial<Record<ServiceElsewhere, Place>>

const secret = "hush"

export const makePlain = (service: keyof typeof places) => {
  const place: Place = places[service]
  const clientId = `forum-at-${service}`
  const offered: ProviderElsewhere = { service, clientId, clientSecret: Redacted.make(secret) }
  const codes = new Map<string, { readonly challenge: string; readonly told: ReadonlyArray<unknown> }>()
  const tokens = new Map<string, ReadonlyArray<unknown>>()
  const page = `http://www.forum.test/auth/${service}/callback`

  /** Somebody of whom this is told signs in, where the browser was sent: what it brings back. */
  const authorise = (location: string, ...told: ReadonlyArray<unknown>) => {
    const { origin, pathname, searchParams } = new URL(location)
    const { code_challenge = "", state = "", ...rest } = Object.fromEntries(searchParams)
    assert.strictEqual(`${origin}${pathname}`, place.authorise)
    assert.deepStrictEqual(rest, {
      client_id: clientId,
      response_type: "code",
      redirect_uri: page,
      scope: place.scope,
      code_challenge_method: "S256"
    })
    const code = randomUUID()
    codes.set(code, { challenge: code_challenge, told })
    return { code, state }
  }

  const token = (request: OutboundRequest) => {
    const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(request.body?.bytes)))
    const { code = "", code_verifier = "", ...rest } = form
    assert.deepStrictEqual(rest, {
      grant_type: "authorization_code",
      client_id: clientId,
      client_secret: secret,
      redirect_uri: page
    })
    const granted = codes.get(code)
    codes.delete(code)
    const digest = createHash("sha256").update(code_verifier).digest("base64url")
    if (granted?.challenge !== digest) return Pages.json(place.refusal.body, place.refusal.status)
    const given = `token-of-the-provider-${code}`
    tokens.set(given, granted.told)
    return Pages.json({ access_token: given, token_type: "bearer", scope: place.scope })
  }

  const appear = Effect.sync(() => {
    Pages.put(place.token, token)
    for (const [n, address] of place.told.entries()) {
      Pages.put(address, ({ headers }: OutboundRequest) => {
        const told = tokens.get((headers?.authorization ?? "").replace("Bearer ", ""))
        return told === undefined ? Pages.json({ message: "Bad credentials" }, 401) : Pages.json(told[n])
      })
    }
  })

  /** Makes the provider answer this at its token endpoint. */
  const answer = (status: number, body: unknown) =>
    Effect.sync(() => {
      Pages.put(place.token, Pages.json(body, status))
    })

  return { service, offered, appear, authorise, answer } as const
}
