import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { SignInNotRecent } from "../../src/domain/authentication/OwnerProof.ts"
import { PasswordNotSet, PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { ErasureBegun, ErasureNotFound, ErasureOfSelf } from "../../src/domain/erasure/Erasure.ts"
import { LastAdministrator } from "../../src/domain/role/RoleRefusal.ts"
import { CookieRequired, Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import { Cast, grant, nobody, password, removePassword, signUp } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { ownPath, pathOf } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  const [hel, sif, hod] = [yield* signUp("hel"), yield* signUp("sif"), yield* signUp("hod")]
  yield* removePassword(sif)
  yield* grant(freya, permission)
  const program = yield* withKey(freya)
  ok(yield* hel.post(ownPath, { keep_posts: true }))
  yield* sql`update erasures set begun_at = requested_at where account_id = ${hel.id}`
  // What erasures and backups leave.
  yield* sql`insert into retired_handles (key_hash, until) values (hash_of_handle('gone'), 'epoch')`
  yield* sql`insert into backups_made (made_at, file) values ('epoch', '/backups/forum.tar.zst')`
  // Long ago for everyone else.
  yield* sql`update sessions set created_at = created_at - interval '1 hour' where account_id <> ${hod.id}`
  const body = { keep_posts: true, password }
  return [
    {
      operation: "AccountErasureGet",
      when: "not asked for",
      call: freya.get(ownPath),
      expects: ErasureNotFound
    },
    {
      operation: "AccountErasureRequest",
      call: freya.post(ownPath, body),
      expects: 200,
      statements: 14
    },
    {
      operation: "AccountErasureRequest",
      when: "soon after signing in",
      call: hod.post(ownPath, { keep_posts: false }),
      expects: 200
    },
    {
      operation: "AccountErasureRequest",
      when: "long after signing in",
      call: loki.post(ownPath, { keep_posts: false }),
      expects: SignInNotRecent
    },
    {
      operation: "AccountErasureRequest",
      when: "with a wrong password",
      call: loki.post(ownPath, { ...body, password: "another one" }),
      expects: PasswordWrong
    },
    {
      operation: "AccountErasureRequest",
      when: "without any password",
      call: sif.post(ownPath, body),
      expects: PasswordNotSet
    },
    {
      operation: "AccountErasureRequest",
      when: "by a key",
      call: program.post(ownPath, body),
      expects: CookieRequired
    },
    {
      operation: "AccountErasureRequest",
      when: "by the last administrator",
      call: odin.post(ownPath, body),
      expects: LastAdministrator
    },
    {
      operation: "AccountErasureRequest",
      when: "as it has begun",
      call: hel.post(ownPath, body),
      expects: ErasureBegun
    },
    { operation: "AccountErasureGet", call: freya.get(ownPath), expects: 200, statements: 2 },
    { operation: "AccountErasureCancel", call: freya.delete(ownPath), expects: 204, statements: 3 },
    {
      operation: "AccountErasureCancel",
      when: "again",
      call: freya.delete(ownPath),
      expects: ErasureNotFound
    },
    {
      operation: "AccountErasureCancel",
      when: "as it has begun",
      call: hel.delete(ownPath),
      expects: ErasureBegun
    },
    {
      operation: "AdminAccountErasureOrder",
      call: odin.post(pathOf(freya), { keep_posts: false }),
      expects: 200,
      statements: 11
    },
    {
      operation: "AdminAccountErasureOrder",
      when: "by a member",
      call: tyr.post(pathOf(freya), { keep_posts: false }),
      expects: Forbidden
    },
    {
      operation: "AdminAccountErasureOrder",
      when: "of oneself",
      call: odin.post(pathOf(odin), { keep_posts: false }),
      expects: ErasureOfSelf
    },
    {
      operation: "AdminAccountErasureOrder",
      when: "of nobody",
      call: odin.post(pathOf({ id: nobody }), { keep_posts: false }),
      expects: AccountNotFound
    },
    {
      operation: "AdminAccountErasureOrder",
      when: "as it has begun",
      call: odin.post(pathOf(hel), { keep_posts: false, at_once: true }),
      expects: ErasureBegun
    },
    { operation: "AdminAccountErasureGet", call: odin.get(pathOf(freya)), expects: 200, statements: 2 },
    {
      operation: "AdminAccountErasureGet",
      when: "not ordered",
      call: odin.get(pathOf(tyr)),
      expects: ErasureNotFound
    },
    { operation: "AdminAccountErasureCancel", call: odin.delete(pathOf(freya)), expects: 204, statements: 3 },
    {
      operation: "AdminAccountErasureCancel",
      when: "again",
      call: odin.delete(pathOf(freya)),
      expects: ErasureNotFound
    },
    {
      operation: "AdminAccountErasureCancel",
      when: "as it has begun",
      call: odin.delete(pathOf(hel)),
      expects: ErasureBegun
    }
  ]
})
