import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import type { Access } from "../../src/domain/shared/Access.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { declaredAccess } from "../../src/http/shared/Access.ts"
import { refusalOf } from "../support/access.ts"
import { operationFor } from "../support/conformance.ts"
import { call, grant, guest, type Person, signUp, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

interface Endpoint {
  readonly id: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With ids that nothing has. */
  readonly path: string
  readonly hasBody: boolean
  readonly access: Access
}

const nobody = "vvvvvvvvvvvvvvvvvvvg"

const endpoints: Array<Endpoint> = []
HttpApi.reflect(ForumApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const path = endpoint.path.replace(/:\w+/g, nobody)
    endpoints.push({
      id: operationFor(endpoint.method, path)?.id ?? path,
      method: endpoint.method as Endpoint["method"],
      path,
      hasBody: endpoint.payload.size > 0,
      access: Option.getOrThrow(declaredAccess(endpoint.annotations))
    })
  }
})
// Whoever signs out cannot be asked anything after that.
endpoints.sort((a, b) => Number(a.id === "AuthProviderLogout") - Number(b.id === "AuthProviderLogout"))

type Verdict = "enters" | "unauthenticated" | "forbidden" | "account-suspended"

const refusals = ["unauthenticated", "forbidden", "account-suspended", "cookie-required"]

/** What the door said. A request that entered may well have failed on its merits, which are none. */
const verdictOf = (status: number, type: unknown): Verdict => {
  const problem = String(type).replace("/api/problems/", "")
  return (status === 401 || status === 403) && refusals.includes(problem) ? (problem as Verdict) : "enters"
}

/** Bodies that no operation takes: cut off, of an unknown kind, and of the wrong form. */
const junk: ReadonlyArray<{ readonly body: string; readonly type: string }> = [
  { body: "{", type: "application/json" },
  { body: "junk", type: "application/x-junk" },
  { body: "[[1]]", type: "application/json" }
]

const knock = (person: Person, { hasBody, method, path }: Endpoint) => {
  const own = person.cookie === undefined ? {} : person.headers
  return Effect.forEach(hasBody ? junk : [undefined], (sent) =>
    call(method, path, {
      ...(sent === undefined ? {} : { body: sent.body }),
      headers: { ...own, ...(sent === undefined ? {} : { "content-type": sent.type }) }
    })
  )
}

/** Takes from everybody what they may do without roles of their own. */
const emptyBuiltInRoles = SqlClient.SqlClient.use(
  (sql) => sql`update roles set permissions = '{}' where name in ('Member', 'Guest')`
)

const setGuestPermissions = (permissions: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update roles set permissions = ${permissions}::text[] where name = 'Guest'`
  )

const permissionOf = (access: Access) => ("permission" in access ? access.permission : undefined)

/** Every verdict on one caller at every door. */
const checkDoors = (person: Person, expected: (access: Access) => Verdict) =>
  Effect.forEach(endpoints, (endpoint) =>
    Effect.map(knock(person, endpoint), (answers) => {
      for (const answer of answers) {
        const verdict = verdictOf(answer.status, answer.json?.type)
        assert.strictEqual(
          verdict,
          expected(endpoint.access),
          `${endpoint.id}: ${answer.status} ${answer.text}`
        )
        if (verdict !== "enters") assert.strictEqual(answer.status, verdict === "unauthenticated" ? 401 : 403)
        // Nothing is served by accident, and nothing is told to those who have to stay outside.
        if (endpoint.hasBody && endpoint.id !== "SendBeacon" && verdict === "enters") {
          assert.oneOf(answer.status, [400, 415], `${endpoint.id}: ${answer.text}`)
        }
      }
    })
  )

const asksFor = (access: Access) => access._tag === "Reader" || access._tag === "Member"

layer(TestApp.layer)("the door of every operation", (it) => {
  it.effect("there is one of every kind", () =>
    Effect.sync(() => {
      assert.isAbove(endpoints.length, 25)
      const kinds = new Set(endpoints.map(({ access }) => access._tag))
      assert.deepStrictEqual([...kinds].sort(), ["Member", "Public", "Reader", "SignedIn"])
    })
  )

  it.effect("guests enter what is public, and are told to sign in or that guests may not", () =>
    Effect.gen(function* () {
      yield* signUp("first")
      yield* emptyBuiltInRoles
      yield* checkDoors(guest, (access) => {
        if (access._tag === "Public") return "enters"
        return access._tag === "Reader" ? "forbidden" : "unauthenticated"
      })
    })
  )

  it.effect("guests read what the Guest role may, and still do nothing that takes an account", () =>
    Effect.gen(function* () {
      yield* setGuestPermissions(["ADMINISTRATOR"])
      yield* checkDoors(guest, (access) =>
        access._tag === "Public" || access._tag === "Reader" ? "enters" : "unauthenticated"
      )
      yield* setGuestPermissions([])
    })
  )

  it.effect("members without permissions enter what asks for none", () =>
    Effect.gen(function* () {
      const bare = yield* signUp("bare")
      yield* checkDoors(bare, (access) => (asksFor(access) ? "forbidden" : "enters"))
    })
  )

  it.effect("suspended members enter what is public, whatever their roles allow", () =>
    Effect.gen(function* () {
      const idle = yield* signUp("idle")
      yield* grant(idle, "ADMINISTRATOR")
      yield* suspend(idle)
      yield* checkDoors(idle, (access) => (access._tag === "Public" ? "enters" : "account-suspended"))
    })
  )

  it.effect("administrators enter everywhere", () =>
    Effect.gen(function* () {
      const boss = yield* signUp("boss")
      yield* grant(boss, "ADMINISTRATOR")
      yield* checkDoors(boss, () => "enters")
    })
  )

  it.effect("a permission opens the doors that ask for it, and no others", () =>
    Effect.gen(function* () {
      const permissions = new Set(endpoints.flatMap(({ access }) => permissionOf(access) ?? []))
      assert.isAbove(permissions.size, 2)
      for (const permission of permissions) {
        const holder = yield* signUp(permission.toLowerCase().replaceAll("_", "-").slice(0, 30))
        yield* grant(holder, permission)
        yield* checkDoors(holder, (access) =>
          asksFor(access) && permissionOf(access) !== permission ? "forbidden" : "enters"
        )
      }
    })
  )

  it.effect("the refusal names the permission that is missing", () =>
    Effect.gen(function* () {
      const stranger = yield* signUp("stranger")
      const answer = yield* stranger.post("/categories", {})
      assert.deepStrictEqual(answer.json.metadata, { permission: "MANAGE_CATEGORIES" })
    })
  )
})

describe("the decision at the door", () => {
  const account: Actor = {
    _tag: "Account",
    accountId: AccountId.make("00000000000000000010"),
    permissions: new Set(["ADMINISTRATOR"]),
    suspended: false,
    credential: "bearer"
  }

  it("takes no bearer token where only the cookie counts, not even for what is public", () => {
    for (const _tag of ["Public", "SignedIn"] as const) {
      assert.strictEqual(refusalOf({ _tag, cookieOnly: true }, account)?._tag, "CookieRequired")
      assert.isUndefined(refusalOf({ _tag, cookieOnly: true }, { ...account, credential: "cookie" }))
      assert.isUndefined(refusalOf({ _tag, cookieOnly: false }, account))
    }
  })

  it("says that the token is of the wrong kind before it says that the account is suspended", () => {
    const suspended = { ...account, suspended: true }
    assert.strictEqual(refusalOf({ _tag: "SignedIn", cookieOnly: true }, suspended)?._tag, "CookieRequired")
    assert.strictEqual(
      refusalOf({ _tag: "SignedIn", cookieOnly: false }, suspended)?._tag,
      "AccountSuspended"
    )
  })
})
