/** What holds, is said and still runs on machines that lack a program of the system, or refuse what it is for. */
import { chmodSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findInPath } from "../../../src/layers/adapters/plugins/Command.ts"
import { pathOfService } from "../../../src/layers/adapters/plugins/Machine.ts"
import { pluginsFinding } from "../../../src/operator/doctor/plugins.ts"
import { layer as Logging, Logs } from "../../support/logs.ts"
import { runner, someDirectory } from "./support.ts"

const isRoot = process.getuid?.() === 0

/** Lets a program of the system fail where it is given an argument that begins so, with what it says where it is refused. */
const refusing = Effect.fnUntraced(function* (name: string, argument: string) {
  const directory = yield* someDirectory
  // Users of plugins find it as well.
  chmodSync(directory, 0o755)
  const before = process.env.PATH ?? ""
  const usual = findInPath(name, pathOfService()) ?? "/bin/false"
  const script = `#!/bin/sh
case " $*" in *" ${argument}"*) echo "${name}: Operation not permitted" >&2; exit 1 ;; esac
exec ${usual} "$@"
`
  writeFileSync(join(directory, name), script, { mode: 0o755 })
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      process.env.PATH = [directory, before].join(delimiter)
    }),
    () =>
      Effect.sync(() => {
        process.env.PATH = before
      })
  )
})

/** What the log and the doctor say. */
const said = Effect.gen(function* () {
  const [line, ...more] = (yield* Logs).map(({ level, message }) => `${level}: ${message}`)
  assert.deepStrictEqual(more, [])
  return { log: line ?? "", doctor: yield* pluginsFinding }
})

/** Tries a machine on which one fails: what holds, what operators read, and what becomes of a program. */
const tried = Effect.fnUntraced(
  function* (name: string, argument = "") {
    yield* refusing(name, argument)
    const { isolation, launch, linesOf } = yield* runner
    const holding = yield* isolation
    const launched = yield* Effect.result(launch("/bin/sh", ["-c", "echo runs; exit 3"]))
    if (launched._tag === "Failure") return { holding, came: launched.failure.message, ...(yield* said) }
    const { text } = yield* launched.success.exited
    return { holding, came: [...(yield* linesOf(launched.success.id)), text], ...(yield* said) }
  },
  Effect.scoped,
  Effect.provide(Logging)
)

const runs = ["runs", "exit status 3"]
const ofUser = isRoot ? "held" : { because: "only root can give plugins users of their own" }
const ofLimits = isRoot
  ? "held"
  : { because: "the number of processes has no limit, as those of the service would count" }

describe("plugins on a machine", () => {
  it.live("that refuses namespaces run with less around them, and operators are warned", () =>
    Effect.gen(function* () {
      const { came, doctor, holding, log } = yield* tried("unshare")
      const refused = { because: "unshare: Operation not permitted" }
      const expected = {
        user: ofUser,
        limits: ofLimits,
        processes: refused,
        files: refused,
        network: refused
      }
      assert.deepStrictEqual<unknown>(holding, expected)
      assert.deepStrictEqual(came, runs)
      const missing = "a disk with nothing of the service (unshare: Operation not permitted)"
      assert.match(log, /^WARN: Plugins have not: /)
      assert.include(log, missing)
      assert.strictEqual(doctor.level, "warn")
      assert.include(doctor.says, missing)
    })
  )

  it.live("without `ip` have all but a network of their own, and operators are warned", () =>
    Effect.gen(function* () {
      const { came, doctor, holding, log } = yield* tried("ip")
      const network = { because: "ip: Operation not permitted" }
      const expected = { user: ofUser, limits: "held", processes: "held", files: "held", network }
      assert.deepStrictEqual<unknown>(holding, expected)
      assert.deepStrictEqual(came, runs)
      const missing =
        "a network with nothing but the service and what they may reach (ip: Operation not permitted)"
      assert.match(log, /^WARN: Plugins have not: /)
      assert.include(log, missing)
      assert.strictEqual(doctor.level, "warn")
    })
  )

  it.live("without `prlimit` run in their box, and operators are warned", () =>
    Effect.gen(function* () {
      const { came, doctor, holding, log } = yield* tried("prlimit")
      const limits = { because: "prlimit of util-linux does not work here" }
      const expected = { user: ofUser, limits, processes: "held", files: "held", network: "held" }
      assert.deepStrictEqual<unknown>(holding, expected)
      assert.deepStrictEqual(came, runs)
      assert.include(log, "limits of memory, processes and files (prlimit of util-linux does not work here)")
      assert.strictEqual(doctor.level, "warn")
    })
  )

  for (const [what, argument, files] of [
    ["where `setpriv` does not work", "", "setpriv of util-linux does not work here"],
    ["as there are no others", "--reuid=", "there is no user to run as"]
  ] as const)
    it.live(`on which root cannot become another user ${what} are not started, for that reason`, () =>
      Effect.gen(function* () {
        const { came, doctor, holding } = yield* tried("setpriv", argument)
        if (isRoot) {
          const because = "root may not become another user here, so that no plugin is started"
          assert.deepStrictEqual<unknown>([holding.user, holding.files], [{ because }, { because: files }])
          assert.deepStrictEqual(came, `It is not started: ${because}`)
        } else {
          assert.deepStrictEqual<unknown>(holding.user, ofUser)
          assert.deepStrictEqual(came, runs)
        }
        assert.strictEqual(doctor.level, isRoot || argument === "" ? "warn" : "ok")
      })
    )
})
