/** Passwords whose hashes accounts have brought along from other programs. */
import { assert, layer } from "@effect/vitest"
import { hashSync } from "bcryptjs"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, password, personIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const ours = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/

const signIn = (identifier: string, token: string) =>
  guest.post("/auth/password/signin", { identifier, token })

const bring = ({ id }: Person, hash: string) =>
  SqlClient.SqlClient.use((sql) => sql`update passwords set hash = ${hash} where account_id = ${id}`)

const hashOf = ({ id }: Person) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly hash: string }>`select hash from passwords where account_id = ${id}`,
      ([row]) => row?.hash ?? ""
    )
  )

layer(People.layer)("a password hash of another program", (it) => {
  it.effect("lets its owner in, and nobody else, and is replaced when it does", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const brought = hashSync(password, 4)
      yield* bring(freya, brought)
      assertProblem(yield* signIn("freya", `${password} `), PasswordWrong)
      assert.strictEqual(yield* hashOf(freya), brought)
      ok(yield* signIn("freya", password))
      const replaced = yield* hashOf(freya)
      assert.match(replaced, ours)
      ok(yield* signIn("freya", password))
      assert.strictEqual(yield* hashOf(freya), replaced)
      assertProblem(yield* signIn("freya", `${password} `), PasswordWrong)
    })
  )

  it.effect("is replaced as well where it costs less than ours", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const made = yield* hashOf(odin)
      // The hashes of these tests are the same at every cost.
      yield* bring(odin, made.replace("m=19456,t=2", "m=4096,t=3"))
      ok(yield* signIn("odin", password))
      assert.match(yield* hashOf(odin), ours)
    })
  )

  it.effect("lets in all who sign in with it at the same time", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* bring(loki, hashSync(password, 4))
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => signIn("loki", password)),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) ok(answer)
      assert.match(yield* hashOf(loki), ours)
    })
  )

  it.effect("proves the old password when it is changed", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const person = personIn(yield* signIn("tyr", password))
      yield* bring(tyr, hashSync(password, 4))
      assertProblem(
        yield* person.patch("/auth/password", { old: `${password} `, new: "another passphrase" }),
        PasswordWrong
      )
      ok(yield* person.patch("/auth/password", { old: password, new: "another passphrase" }))
      assert.match(yield* hashOf(tyr), ours)
      ok(yield* signIn("tyr", "another passphrase"))
    })
  )
})
