import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SignInNotRecent } from "../../src/domain/authentication/OwnerProof.ts"
import { PasswordNotSet, PasswordWrong } from "../../src/domain/authentication/Password.ts"
import {
  OwnDataNotFound,
  OwnDataNotReady,
  OwnDataRunning,
  TooManyOwnData
} from "../../src/domain/owndata/OwnData.ts"
import { CookieRequired } from "../../src/domain/shared/Actor.ts"
import { png, upload } from "../support/files.ts"
import { permission, withKey } from "../support/keys.ts"
import { Cast, grant, password, removePassword, signUp } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { archive, path } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  const [hel, sif, hod, idun] = [
    yield* signUp("hel"),
    yield* signUp("sif"),
    yield* signUp("hod"),
    yield* signUp("idun")
  ]
  yield* removePassword(sif)
  yield* grant(freya, permission)
  const program = yield* withKey(freya)
  // Their archives are there, which are some file here, and one of them asked often today.
  const { id: key } = yield* upload(odin, png(2, 1))
  for (const [{ id }, asked] of [
    [hel, 1],
    [idun, 3]
  ] as const) {
    yield* sql`insert into own_data_exports
        (account_id, requested_at, session_hash, asked, key, store, size, made_at, expires_at)
      select ${id}, 'epoch', token_hash, ${asked}, ${key}, 'disk', ${png(2, 1).length}, 'epoch', 'epoch'::timestamptz + interval '7 days'
      from sessions where account_id = ${id}`
  }
  // Long ago for everyone else.
  yield* sql`update sessions set created_at = created_at - interval '1 hour' where account_id <> ${hod.id}`
  return [
    { operation: "AccountExportGet", when: "not asked for", call: freya.get(path), expects: OwnDataNotFound },
    {
      operation: "AccountExportDownload",
      when: "not asked for, by a session of a short time",
      call: hod.get(archive),
      expects: OwnDataNotFound
    },
    {
      operation: "AccountExportRequest",
      call: freya.post(path, { password }),
      expects: 200,
      statements: 8
    },
    {
      operation: "AccountExportRequest",
      when: "soon after signing in",
      call: hod.post(path, {}),
      expects: 200
    },
    {
      operation: "AccountExportRequest",
      when: "long after signing in",
      call: loki.post(path, {}),
      expects: SignInNotRecent
    },
    {
      operation: "AccountExportRequest",
      when: "with a wrong password",
      call: tyr.post(path, { password: "another one" }),
      expects: PasswordWrong
    },
    {
      operation: "AccountExportRequest",
      when: "without any password",
      call: sif.post(path, { password }),
      expects: PasswordNotSet
    },
    {
      operation: "AccountExportRequest",
      when: "by a key",
      call: program.post(path, { password }),
      expects: CookieRequired
    },
    {
      operation: "AccountExportRequest",
      when: "again while it is made",
      call: freya.post(path, { password }),
      expects: OwnDataRunning
    },
    {
      operation: "AccountExportRequest",
      when: "too often on one day",
      call: idun.post(path, { password }),
      expects: TooManyOwnData
    },
    { operation: "AccountExportGet", call: freya.get(path), expects: 200, statements: 2 },
    {
      operation: "AccountExportDownload",
      when: "before it is made",
      call: freya.get(archive),
      expects: OwnDataNotReady
    },
    { operation: "AccountExportDownload", call: hel.get(archive), expects: 200, statements: 2 }
  ]
})
