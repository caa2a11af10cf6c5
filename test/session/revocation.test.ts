/**
 * Whoever loses a right, or the credential that says who they are, has lost it with the next request, on every
 * instance, and within a second where an answer lasts: for each kind of credential and each way to lose something.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OAuthClientStore } from "../../src/domain/oauthclient/OAuthClientStore.ts"
import type { GrantStore } from "../../src/domain/oauthgrant/GrantStore.ts"
import type { Grants } from "../../src/domain/oauthgrant/Grants.ts"
import { StreamCallers } from "../../src/domain/session/StreamCallers.ts"
import { AccountSuspended, Forbidden, holds, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { administrative, clientFor } from "../support/clients.ts"
import { createKey, permission as keysPermission } from "../support/keys.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  grant,
  type Person,
  password,
  personByKey,
  personIn,
  signIn,
  signUp
} from "../support/people.ts"
import { assertProblem, type ProblemClass } from "../support/problems.ts"
import { admin, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"
import { granted, postForm, refresh, refusalIn } from "../support/tokens.ts"
import { inTime, second } from "../support/waiting.ts"

/** Someone with a credential, and what the credential is. */
interface Holder {
  /** Calls with the credential. */
  readonly caller: Person
  readonly handle: string
  /** The same account with another session, which stays. */
  readonly account: Person
  /** The id of the key, if that is the credential. */
  readonly keyId: string
  /** What a client was given, if the credential is an access token. */
  readonly tokens?: Tokens
}

interface Tokens {
  /** The internal id of the client, and the one by which it names itself. */
  readonly client: { readonly id: string; readonly client_id: string }
  readonly access: string
  readonly refresh: string
}

type World = HttpClient.HttpClient | SqlClient.SqlClient | OAuthClientStore | GrantStore | Grants

/** When sessions end that began with the clock of the tests, and keys with them. Tests take less than a minute of it. */
const end = "1970-04-01T00:00:00.000Z"
const aMinute = 60_000

const right = "VIEW_ACCOUNTS"

/** A client that an administrator has made for itself. */
const clientOf = Effect.fnUntraced(function* (odin: Person) {
  const client: Tokens["client"] = ok(
    yield* odin.post(administrative, clientFor(odin, { allowed_scopes: ["offline_access", right] }))
  )
  return client
})

const credentials: Readonly<
  Record<
    "session" | "access key" | "access token",
    (handle: string, odin: Person) => Effect.Effect<Holder, unknown, World>
  >
> = {
  session: Effect.fnUntraced(function* (handle) {
    const caller = yield* signUp(handle)
    return { caller, handle, account: personIn(yield* signIn(handle)), keyId: "" }
  }),
  "access key": Effect.fnUntraced(function* (handle) {
    const account = yield* signUp(handle)
    yield* grant(account, keysPermission)
    const key = yield* createKey(account, { expires_at: end })
    return { caller: personByKey(key.secret, account.id), handle, account, keyId: key.id }
  }),
  "access token": Effect.fnUntraced(function* (handle, odin) {
    const account = yield* signUp(handle)
    const client = yield* clientOf(odin)
    const { access, refresh } = yield* granted(client.client_id, account, `offline_access ${right}`)
    const tokens = { client, access, refresh }
    return { caller: personByKey(access, account.id), handle, account, keyId: "", tokens }
  })
}

interface Loss {
  readonly name: string
  /** Of the credential kinds, those that it concerns; all otherwise. */
  readonly of?: keyof typeof credentials
  /** Gives the right first, and answers how it is lost. */
  readonly prepare: (
    holder: Holder,
    odin: Person
  ) => Effect.Effect<Effect.Effect<unknown, unknown, World>, unknown, World>
  readonly refusal: ProblemClass<object>
  /** Whether the account itself is no longer recognised. */
  readonly signsOut: boolean
}

const newRole = (odin: Person, handle: string, ...permissions: ReadonlyArray<string>) =>
  Effect.map(
    odin.post("/roles", { name: `role of ${handle}`, colour: "", permissions }),
    (answer) => ok(answer).id as string
  )

const assigned = Effect.fnUntraced(function* (
  odin: Person,
  { handle }: Holder,
  ...permissions: ReadonlyArray<string>
) {
  const role = yield* newRole(odin, handle, ...permissions)
  ok(yield* odin.put(`/accounts/${handle}/roles/${role}`))
  return role
})

const withRight = (
  lose: (holder: Holder, odin: Person, role: string) => Effect.Effect<unknown, unknown, World>
) =>
  Effect.fnUntraced(function* (holder: Holder, odin: Person) {
    const role = yield* assigned(odin, holder, right)
    return lose(holder, odin, role)
  })

const withTokens = (
  lose: (tokens: Tokens, odin: Person) => Effect.Effect<unknown, unknown, World>
): Loss["prepare"] => withRight(({ tokens }, odin) => lose(tokens ?? assert.fail("There is no token"), odin))

/** Sends a token of a public client to where tokens are ended. */
const revoked = (which: "access" | "refresh") =>
  withTokens((tokens) =>
    Effect.map(postForm("/oauth/revoke", { client_id: tokens.client.client_id, token: tokens[which] }), ok)
  )

/** Ends what is listed of a refresh token: by its administrators, or by the account itself if it is one. */
const removedFromList = Effect.fnUntraced(function* ({ account }: Holder, by: Person, list: string) {
  const { tokens } = ok(yield* by.get(list))
  const token = tokens.find(({ account_id }: { account_id: string }) => account_id === account.id)
  assert.strictEqual((yield* by.delete(`${list}/${token.id}`)).status, 204)
})

const losses: ReadonlyArray<Loss> = [
  {
    name: "the role is taken from the account",
    prepare: withRight(({ handle }, odin, role) => odin.delete(`/accounts/${handle}/roles/${role}`)),
    refusal: Forbidden,
    signsOut: false
  },
  {
    name: "the permission is taken from the role",
    prepare: withRight((_, odin, role) => odin.patch(`/roles/${role}`, { permissions: ["CREATE_POST"] })),
    refusal: Forbidden,
    signsOut: false
  },
  {
    name: "the role is deleted",
    prepare: withRight((_, odin, role) => odin.delete(`/roles/${role}`)),
    refusal: Forbidden,
    signsOut: false
  },
  {
    name: "the permission is taken from all members",
    prepare: Effect.fnUntraced(function* (_, odin) {
      ok(yield* odin.patch(`/roles/${member.id}`, { permissions: [...member.permissions, right] }))
      return odin.delete(`/roles/${member.id}`)
    }),
    refusal: Forbidden,
    signsOut: false
  },
  {
    name: "the account is no administrator any more",
    prepare: Effect.fnUntraced(function* ({ handle }, odin) {
      ok(yield* odin.put(`/accounts/${handle}/roles/${admin.id}`))
      return odin.delete(`/accounts/${handle}/roles/${admin.id}`)
    }),
    refusal: Forbidden,
    signsOut: false
  },
  {
    name: "the account is suspended",
    prepare: withRight(({ handle }, odin) => odin.post(`/admin/bans/${handle}`)),
    refusal: AccountSuspended,
    signsOut: false
  },
  {
    name: "the account is deleted",
    prepare: withRight(({ account }) =>
      SqlClient.SqlClient.use((sql) => sql`delete from accounts where id = ${account.id}`)
    ),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the session is signed out",
    of: "session",
    prepare: withRight(({ caller }) => caller.post("/auth/logout")),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "all sessions are ended with the password",
    of: "session",
    prepare: withRight(({ account }) =>
      account.patch("/auth/password", { old: password, new: password, revoke_sessions: true })
    ),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the key is revoked by its owner",
    of: "access key",
    prepare: withRight(({ account, keyId }) => account.delete(`/auth/access-keys/${keyId}`)),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the key is revoked by itself",
    of: "access key",
    prepare: withRight(({ caller, keyId }) => caller.delete(`/auth/access-keys/${keyId}`)),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the key is revoked by an administrator",
    of: "access key",
    prepare: withRight((_holder, odin) =>
      Effect.flatMap(odin.get("/admin/access-keys"), (answer) =>
        odin.delete(`/admin/access-keys/${ok(answer).keys[0].id}`)
      )
    ),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the client is deleted",
    of: "access token",
    prepare: withTokens(({ client }, odin) => odin.delete(`${administrative}/${client.id}`)),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the refresh token that came with it is used twice",
    of: "access token",
    prepare: withTokens(({ client, refresh: token }) =>
      Effect.gen(function* () {
        ok(yield* refresh(client.client_id, token))
        assert.strictEqual(refusalIn(yield* refresh(client.client_id, token)), "400 invalid_grant")
      })
    ),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "its client ends it",
    of: "access token",
    prepare: revoked("access"),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "its client ends the refresh token that came with it",
    of: "access token",
    prepare: revoked("refresh"),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "an administrator removes the refresh token that came with it",
    of: "access token",
    prepare: withRight((holder, odin) => removedFromList(holder, odin, "/admin/oauth/refresh-tokens")),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "the account removes the refresh token that came with it",
    of: "access token",
    prepare: Effect.fnUntraced(function* (holder, odin) {
      ok(yield* odin.put(`/accounts/${holder.handle}/roles/${admin.id}`))
      return removedFromList(holder, holder.account, "/auth/oauth/tokens")
    }),
    refusal: Unauthenticated,
    signsOut: true
  },
  {
    name: "its time is over",
    prepare: withRight(() => TestClock.setTime(Date.parse(end) + aMinute)),
    refusal: Unauthenticated,
    signsOut: true
  }
]

/** What an answer that lasts, and that the right is needed for, waits for. */
const watched = Effect.fnUntraced(function* ({ caller: { cookie, headers } }: Holder) {
  const { watch } = yield* StreamCallers
  const credentials = {
    cookies: cookie === undefined ? [] : [cookie],
    bearer: headers.authorization?.replace("Bearer ", "")
  }
  return yield* watch(
    credentials,
    (actor) => actor._tag === "Account" && !actor.suspended && holds(actor, right)
  )
})

for (const kind of ["session", "access key", "access token"] as const) {
  layer(Layer.provideMerge(TestApp.uncached, People.layer))(
    `with one ${kind}, the next call is refused, and an answer that lasts is over`,
    (it) => {
      for (const [n, loss] of losses.filter(({ of }) => of === undefined || of === kind).entries()) {
        it.effect(`when ${loss.name}`, () =>
          Effect.gen(function* () {
            const { freya, odin } = yield* Cast
            const elsewhere = yield* TestApp.UncachedClient
            const holder = yield* credentials[kind](`holder-${n}`, odin)
            // The first needs the permission, the second nothing but an account.
            const [permitted, own] = [`/accounts/${freya.id}`, "/accounts"]
            const onBoth = Effect.fnUntraced(function* (path: string) {
              const call = holder.caller.get(path)
              return [yield* call, yield* Effect.provideService(call, HttpClient.HttpClient, elsewhere)]
            })
            const lose = yield* loss.prepare(holder, odin)
            for (const answer of [...(yield* onBoth(permitted)), ...(yield* onBoth(own))]) ok(answer)
            const lost = yield* watched(holder)
            yield* lose
            yield* second
            yield* inTime("the answer lasts", lost)
            for (const answer of yield* onBoth(permitted)) assertProblem(answer, loss.refusal)
            for (const answer of yield* onBoth(own)) {
              if (loss.refusal === Forbidden) ok(answer)
              else assertProblem(answer, loss.refusal)
            }
            // What everyone may read is read as a guest, if the caller is not recognised.
            const sessions = yield* onBoth("/session")
            for (const answer of sessions) assert.strictEqual("account" in ok(answer), !loss.signsOut)
          })
        )
      }
    }
  )
}
