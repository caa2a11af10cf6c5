/** `forum doctor`. */
import { Console, Effect, Exit, Layer } from "effect"
import { Command } from "effect/cli"
import { SigningKeys } from "../../domain/signing/SigningKeys.ts"
import { Settings } from "../../layers/process/Settings.ts"
import * as App from "../../layers/wiring/App.ts"
import { checkReachable } from "../../layers/wiring/Database.ts"
import { chosen } from "../../layers/wiring/Server.ts"
import { client, hasDatabase, settings } from "../Environment.ts"
import { OperatorFailure, reasonOf } from "../OperatorFailure.ts"
import { backupsFinding } from "./backups.ts"
import { collectorFinding } from "./collector.ts"
import { databaseFindings } from "./database.ts"
import { type Finding, fail, lineOf, ok, warn } from "./Finding.ts"
import { filesFinding } from "./files.ts"
import { machineFindings } from "./machine.ts"
import { mailFinding } from "./mail.ts"
import { pluginsFinding } from "./plugins.ts"
import { redisFinding } from "./redis.ts"
import { settingsFindings } from "./settings.ts"
import { signingFinding } from "./signing.ts"

/** Checks that need more than the settings. Another part of the service adds its own here. */
const overStores = Effect.gen(function* () {
  return [yield* filesFinding, yield* Effect.provide(signingFinding, SigningKeys.layer)]
})

const onDatabase = Effect.gen(function* () {
  const { dataDir, databaseAddress } = yield* Settings
  if (databaseAddress === undefined && !hasDatabase(dataDir)) {
    return [
      warn("database", `There is none in ${dataDir} yet`, "The service makes one when it starts first.")
    ]
  }
  const findings = yield* Effect.exit(
    Effect.gen(function* () {
      const found = yield* checkReachable(databaseFindings)
      return [...found, ...(yield* Effect.provide(overStores, App.stores))]
    }).pipe(Effect.provide(client("found")))
  )
  return Exit.isSuccess(findings)
    ? findings.value
    : [
        fail(
          "database",
          reasonOf(findings.cause),
          databaseAddress === undefined
            ? "See postgres.log in the data directory, and run this as the user of the service."
            : "See whether the server runs, and whether DATABASE_URL names it, its user and its password."
        )
      ]
})

const examine = Effect.gen(function* () {
  const found = yield* Settings
  return [
    ...settingsFindings(found),
    ...(yield* machineFindings(found)),
    yield* backupsFinding(found),
    yield* pluginsFinding,
    yield* mailFinding,
    yield* redisFinding,
    yield* collectorFinding,
    ...(yield* onDatabase)
  ]
}).pipe(Effect.provide(chosen))

const allFindings = Effect.gen(function* () {
  const found = yield* Effect.exit(Layer.build(settings))
  if (Exit.isFailure(found)) {
    return [fail("settings", reasonOf(found.cause), "Correct it; what else there is depends on it.")]
  }
  return yield* Effect.provideContext(examine, found.value)
}).pipe(Effect.scoped)

const count = (findings: ReadonlyArray<Finding>, level: Finding["level"]) =>
  findings.filter((finding) => finding.level === level).length

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings: ReadonlyArray<Finding> = [
      ok("program", `Node ${process.version}`),
      ...(yield* allFindings)
    ]
    for (const finding of findings) yield* Console.log(lineOf(finding))
    const [warnings, failures] = [count(findings, "warn"), count(findings, "fail")]
    if (failures > 0) {
      return yield* new OperatorFailure({ message: `${failures} failed, ${warnings} to look at.` })
    }
    yield* Console.log(warnings === 0 ? "All is well." : `${warnings} to look at.`)
  })
).pipe(
  Command.withDescription(
    "Looks at the settings, the database and the machine, changes nothing, and says what should be done. Ends with 1 if something must be."
  )
)
