/** The matrix of operations says what the decision about access says, for each kind of caller. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BuiltInRoles from "../../../src/domain/role/BuiltInRoles.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import { operations } from "../../../tools/reference/Declared.ts"
import { pages } from "../../../tools/reference/Pages.ts"
import { refusalOf } from "../../support/access.ts"

const account = (credential: "cookie" | "key" | "token", permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Account",
  accountId: AccountId.make("00000000000000000010"),
  permissions: new Set(permissions),
  suspended: false,
  credential
})

const guest = (permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Guest",
  permissions: new Set(permissions)
})

const rows = Effect.map(
  pages,
  ({ "operations.md": text = "" }) =>
    new Map(
      [...text.matchAll(/^\| <a id="\w+"><\/a>`(\w+)` \| (`[A-Z]+ .*) \|$/gm)].map(
        ([, id = "", row = ""]) => [id, row.split(" | ").map((cell) => cell.trim())]
      )
    )
)

it.effect("the matrix has each operation, with what is decided of its callers", () =>
  Effect.gen(function* () {
    const cells = yield* rows
    assert.sameMembers(
      [...cells.keys()],
      operations.map(({ id }) => id)
    )
    for (const { access, also, asksWho, id, permissions } of operations) {
      const [, named = "", first, guests = "", cookie, key, token = ""] = cells.get(id) ?? []
      const enough = [...permissions.slice(0, 1), ...(also === undefined ? [] : [also])]
      const allows = (actor: Actor) => refusalOf(access, actor) === undefined
      for (const permission of [...permissions, ...enough]) assert.include(named, permission, id)
      assert.strictEqual(guests === "yes", allows(guest([])), `${id}, guests`)
      assert.strictEqual(
        guests === "by their role",
        !allows(guest([])) && allows(guest(enough)),
        `${id}, guests`
      )
      const members = account(
        access._tag !== "Public" && token === "scope" ? "token" : "cookie",
        BuiltInRoles.member.permissions
      )
      const isForMembers = [members, { ...members, credential: "token" } as const].some(allows)
      assert.strictEqual(first !== "administrators", isForMembers, `${id}, at first`)
      assert.strictEqual(
        first === "everyone",
        allows(guest(BuiltInRoles.guest.permissions)),
        `${id}, at first`
      )
      if (!asksWho) continue
      assert.strictEqual(cookie === "yes", allows(account("cookie", enough)), `${id}, cookie`)
      assert.strictEqual(key === "yes", allows(account("key", enough)), `${id}, key`)
      assert.strictEqual(/scope/.test(token), allows(account("token", enough)), `${id}, token`)
      assert.strictEqual(token === "any scope", allows(account("token", [])), `${id}, token`)
    }
  })
)
