/** What is printed of a start that failed: one line, where whoever runs the service can do something about it. */
import { assert, it } from "@effect/vitest"
import { Cause } from "effect"
import { HttpServerError } from "effect/http"
import { SqlError } from "effect/sql"
import { CarriedProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { EmbeddedPostgresError } from "../../src/layers/postgres/EmbeddedPostgresError.ts"
import { SettingInvalid } from "../../src/layers/process/Setting.ts"
import { startFailureText } from "../../src/layers/process/StartFailure.ts"
import { MigrationFailed } from "../../src/persistence/shared/Migrations.ts"

const failed = (code: string, message: string) => Object.assign(new Error(message), { code })

const lost = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: failed("ECONNRESET", "read ECONNRESET"),
    message: "No answer"
  })
})

const atTheDatabase = (reason: string) =>
  `The start failed at the database: ${reason}. Start the service again once the database answers.`

it.each([
  ["a setting", Cause.fail(new SettingInvalid({ message: "PORT: expected" })), "PORT: expected"],
  ["PostgreSQL", Cause.fail(new EmbeddedPostgresError({ message: "It does not run" })), "It does not run"],
  ["a migration", Cause.fail(new MigrationFailed({ message: "0002: no", cause: undefined })), "0002: no"],
  ["a connection that is lost", Cause.fail(lost), atTheDatabase("read ECONNRESET")],
  ["the same as a defect", Cause.die(lost), atTheDatabase("read ECONNRESET")],
  [
    "a problem that requests would be answered with",
    Cause.die(new CarriedProblem(new StorageUnavailable({ metadata: { retry_after: 1 } }))),
    atTheDatabase("The service cannot reach its database right now")
  ],
  [
    "a port that is taken",
    Cause.fail(new HttpServerError.ServeError({ cause: failed("EADDRINUSE", "in use") })),
    "PORT: expected a free port that this user may open (in use)"
  ],
  [
    "an address of another machine",
    Cause.fail(new HttpServerError.ServeError({ cause: failed("EADDRNOTAVAIL", "not here") })),
    "HOST: expected an address or a name of this machine (not here)"
  ]
])("of %s one line is said", (_, cause, line) => {
  assert.strictEqual(startFailureText(cause), line)
})

it("of a failure of the service's own, where it happened is said", () => {
  const wrong = new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: new Error("no such column"), message: "A statement failed" })
  })
  for (const cause of [Cause.die(new Error("never")), Cause.fail(wrong)])
    assert.match(startFailureText(cause), /\n\s+at /)
})
