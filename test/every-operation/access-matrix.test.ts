import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Access, takenBy } from "../../src/domain/shared/Access.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import {
  alsoOf,
  emptyBuiltInRoles,
  permissionsOf,
  refusalOf,
  requiredBy,
  type Verdict,
  verdictOf
} from "../support/access.ts"
import { type Operation, operations } from "../support/operations.ts"
import { call, grant, guest, type Person, signUp, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { withToken } from "../support/tokens.ts"

/** Bodies that no operation accepts: cut off, of an unknown type, and of the wrong form. */
const junk: ReadonlyArray<{ readonly body: string; readonly type: string }> = [
  { body: "{", type: "application/json" },
  { body: "junk", type: "application/x-junk" },
  { body: "[[1]]", type: "application/json" }
]

const callWithJunk = (person: Person, { hasBody, method, path }: Operation) =>
  Effect.forEach(hasBody ? junk : [undefined], (sent) =>
    call(method, path, {
      ...(sent === undefined ? {} : { body: sent.body }),
      headers: { ...person.headers, ...(sent === undefined ? {} : { "content-type": sent.type }) }
    })
  )

const setGuestPermissions = (permissions: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update roles set permissions = ${permissions}::text[] where name = 'Guest'`
  )

/** Checks what operations decide about one caller. */
const checkAccess = (person: Person, expected: (access: Access) => Verdict, asked = operations) =>
  Effect.forEach(asked, (operation) =>
    Effect.map(callWithJunk(person, operation), (answers) => {
      for (const answer of answers) {
        const verdict = verdictOf(answer.status, answer.json?.type)
        assert.strictEqual(
          verdict,
          expected(operation.access),
          `${operation.id}: ${answer.status} ${answer.text}`
        )
        if (verdict !== "allowed")
          assert.strictEqual(answer.status, verdict === "unauthenticated" ? 401 : 403)
        // The body is checked, and only for callers with access.
        if (operation.hasBody && verdict === "allowed") {
          assert.oneOf(answer.status, [400, 415], `${operation.id}: ${answer.text}`)
        }
      }
    })
  )

const asksFor = (access: Access) => "permission" in access

/** What an operation says to a token that it does not take, and otherwise. */
const unlessRefusedToken =
  (otherwise: (access: Access) => Verdict) =>
  (access: Access): Verdict => {
    const takes = takenBy(access)
    if (takes === "cookie") return "cookie-required"
    return takes === "cookie or key" ? "access-token-refused" : otherwise(access)
  }

/** What an operation says to cookies, if it takes tokens alone, and otherwise. */
const unlessTakesToken =
  (otherwise: (access: Access) => Verdict) =>
  (access: Access): Verdict =>
    takenBy(access) === "token" ? "unauthenticated" : otherwise(access)

layer(TestApp.layer)("the access of every operation", (it) => {
  it.effect("is of every kind", () =>
    Effect.sync(() => {
      assert.isAbove(operations.length, 25)
      const kinds = new Set(operations.map(({ access }) => access._tag))
      assert.deepStrictEqual([...kinds].sort(), ["Contributor", "Member", "Public", "Reader", "SignedIn"])
    })
  )

  it.effect("refuses guests: 401 where an account is required, 403 where the permission is missing", () =>
    Effect.gen(function* () {
      yield* signUp("first")
      yield* emptyBuiltInRoles
      yield* checkAccess(guest, (access) => {
        if (access._tag === "Public") return "allowed"
        return access._tag === "Reader" || access._tag === "Contributor" ? "forbidden" : "unauthenticated"
      })
    })
  )

  it.effect("allows guests what the Guest role may, except what requires an account", () =>
    Effect.gen(function* () {
      yield* setGuestPermissions(["ADMINISTRATOR"])
      yield* checkAccess(guest, (access) =>
        access._tag === "Public" || access._tag === "Reader" ? "allowed" : "unauthenticated"
      )
      yield* setGuestPermissions([])
    })
  )

  it.effect("refuses members without permissions where one is required", () =>
    Effect.gen(function* () {
      const bare = yield* signUp("bare")
      yield* checkAccess(
        bare,
        unlessTakesToken((access) => (asksFor(access) ? "forbidden" : "allowed"))
      )
    })
  )

  it.effect("refuses suspended members everywhere but in public operations, whatever their roles", () =>
    Effect.gen(function* () {
      const idle = yield* signUp("idle")
      yield* grant(idle, "ADMINISTRATOR")
      yield* suspend(idle)
      yield* checkAccess(
        idle,
        unlessTakesToken((access) => (access._tag === "Public" ? "allowed" : "account-suspended"))
      )
      yield* checkAccess(
        yield* withToken(idle, "ADMINISTRATOR"),
        unlessRefusedToken((access) => (access._tag === "Public" ? "allowed" : "account-suspended"))
      )
    })
  )

  it.effect("allows administrators everything", () =>
    Effect.gen(function* () {
      const boss = yield* signUp("boss")
      yield* grant(boss, "ADMINISTRATOR")
      yield* checkAccess(
        boss,
        unlessTakesToken(() => "allowed")
      )
    })
  )

  it.effect("allows an access token of an administrator what its scopes say, and no more", () =>
    Effect.gen(function* () {
      const regent = yield* signUp("regent")
      yield* grant(regent, "ADMINISTRATOR")
      yield* checkAccess(
        yield* withToken(regent, "ADMINISTRATOR"),
        unlessRefusedToken(() => "allowed")
      )
      for (const scope of ["", "openid profile email offline_access"]) {
        yield* checkAccess(
          yield* withToken(regent, scope),
          unlessRefusedToken((access) => (asksFor(access) ? "forbidden" : "allowed"))
        )
      }
    })
  )

  it.effect("refuses an access token for what its account does not hold, whatever its scopes say", () =>
    Effect.gen(function* () {
      const poor = yield* signUp("poor")
      yield* checkAccess(
        yield* withToken(poor, Permission.literals.join(" ")),
        unlessRefusedToken((access) => (asksFor(access) ? "forbidden" : "allowed"))
      )
    })
  )

  it.effect("allows the holder of its permission alone, and refuses who holds all others", () =>
    Effect.gen(function* () {
      const sovereign = yield* signUp("sovereign")
      yield* grant(sovereign, "ADMINISTRATOR")
      const asking = operations.filter(({ access }) => asksFor(access))
      const kinds = Map.groupBy(asking, ({ access }) => requiredBy(access).join(" "))
      assert.isAbove(kinds.size, 10)
      for (const [index, alike] of [...kinds.values()].entries()) {
        const access = alike[0]?.access ?? assert.fail()
        const [sufficient, also] = [permissionsOf(access), alsoOf(access)]
        for (const [place, permission] of sufficient.entries()) {
          const holder = yield* signUp(`holder-${index}-${place}`)
          yield* grant(holder, permission, ...also)
          yield* checkAccess(
            holder,
            unlessTakesToken(() => "allowed"),
            alike
          )
          const scope = [permission, ...also].join(" ")
          for (const person of [holder, sovereign]) {
            yield* checkAccess(
              yield* withToken(person, scope),
              unlessRefusedToken(() => "allowed"),
              alike
            )
          }
        }
        for (const [place, lacking] of [sufficient, also].entries()) {
          if (lacking.length === 0) continue
          const others = Permission.literals.filter(
            (one) => one !== "ADMINISTRATOR" && !lacking.includes(one)
          )
          const refused = yield* signUp(`others-${index}-${place}`)
          yield* grant(refused, ...others)
          yield* checkAccess(
            refused,
            unlessTakesToken(() => "forbidden"),
            alike
          )
          yield* checkAccess(
            yield* withToken(sovereign, others.join(" ")),
            unlessRefusedToken(() => "forbidden"),
            alike
          )
        }
      }
    })
  )

  it.effect(
    "needs both permissions where one is required beside another, and names the one that is missing",
    () =>
      Effect.gen(function* () {
        const both = operations.filter(({ access }) => alsoOf(access).length > 0)
        assert.sameMembers(
          both.map(({ id }) => id),
          ["PostReactAdd", "ReplyCreate"]
        )
        const replier = yield* signUp("replier")
        yield* grant(replier, "CREATE_POST", "READ_PUBLISHED_THREADS")
        yield* checkAccess(
          replier,
          (access) => (permissionsOf(access).includes("CREATE_POST") ? "allowed" : "forbidden"),
          both
        )
        const writer = yield* signUp("writer")
        yield* grant(writer, "CREATE_POST")
        const unread = yield* writer.post("/threads/nothing/replies", "junk")
        assert.deepStrictEqual(unread.json.metadata, { permission: "READ_PUBLISHED_THREADS" })
        const reader = yield* signUp("reader")
        yield* grant(reader, "READ_PUBLISHED_THREADS")
        const unwritten = yield* reader.put("/posts/nothing/reacts", "junk")
        assert.deepStrictEqual(unwritten.json.metadata, { permission: "CREATE_REACTION" })
      })
  )

  it.effect("names the permission that is missing", () =>
    Effect.gen(function* () {
      const stranger = yield* signUp("stranger")
      const answer = yield* stranger.post("/categories", {})
      assert.deepStrictEqual(answer.json.metadata, { permission: "MANAGE_CATEGORIES" })
    })
  )
})

describe("the decision about access", () => {
  const account: Actor = {
    _tag: "Account",
    accountId: AccountId.make("00000000000000000010"),
    permissions: new Set(["ADMINISTRATOR"]),
    suspended: false,
    credential: "key"
  }

  it("allows the holder of one permission, of every operation, what names it alone, and no more", () => {
    for (const { access, id } of operations.filter((one) => asksFor(one.access))) {
      for (const permission of Permission.literals) {
        const holder: Actor = { ...account, credential: "cookie", permissions: new Set([permission]) }
        const isEnough = permissionsOf(access).includes(permission) && alsoOf(access).length === 0
        assert.strictEqual(
          refusalOf(access, holder)?._tag,
          isEnough || permission === "ADMINISTRATOR" ? undefined : "Forbidden",
          `${id}, ${permission}`
        )
      }
    }
  })

  it("refuses bearer tokens where the cookie is required, even in public operations", () => {
    for (const _tag of ["Public", "SignedIn"] as const) {
      for (const credential of ["key", "token"] as const) {
        const program: Actor = { ...account, credential }
        assert.strictEqual(refusalOf({ _tag, takes: "cookie" }, program)?._tag, "CookieRequired")
        assert.isUndefined(refusalOf({ _tag }, program))
      }
      assert.isUndefined(refusalOf({ _tag, takes: "cookie" }, { ...account, credential: "cookie" }))
    }
  })

  it("refuses the kind of credential before it refuses a suspended account", () => {
    const suspended = { ...account, suspended: true }
    assert.strictEqual(refusalOf({ _tag: "SignedIn", takes: "cookie" }, suspended)?._tag, "CookieRequired")
    assert.strictEqual(refusalOf({ _tag: "SignedIn" }, suspended)?._tag, "AccountSuspended")
  })
})
