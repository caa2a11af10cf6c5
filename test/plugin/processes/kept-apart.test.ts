/** What programs of plugins find of the service, and what they leave behind. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readdirSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { layer as Logging, Logs } from "../../support/logs.ts"
import { attack } from "./attack.ts"
import { asUser, checkNone, endAsUser, newMark, runner, runnerWith, untilProcesses } from "./support.ts"

const Told = Schema.fromJsonString(
  Schema.Struct({
    environment: Schema.Record(Schema.String, Schema.String),
    args: Schema.Array(Schema.String),
    directory: Schema.String,
    files: Schema.Array(Schema.String)
  })
)

/** What a program has of its own. */
const namespaces = ["mnt", "pid", "ipc", "uts", "net"]

const Seen = Schema.fromJsonString(
  Schema.Struct({
    namespaces: Schema.Array(Schema.String),
    groups: Schema.Array(Schema.Int),
    listed: Schema.Array(Schema.Array(Schema.String))
  })
)

/** What a program may do that is kept from everything; the rest fails in one way or another. */
const allowed = { service: "connected", "own directory": "done", temporary: "done" }

/** What does not fail, and what a program is told of its rights. */
const succeeded = (told: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(told).filter(
      ([name, came]) => ["done", "connected"].includes(came) || name.includes("rights")
    )
  )

const noRights = { rights: "0000000000000000", "no new rights": "1" }

const Came = Schema.fromJsonString(
  Schema.Struct({
    isolation: Schema.Record(Schema.String, Schema.Unknown),
    told: Schema.Record(Schema.String, Schema.String)
  })
)

describe("a program of a plugin", () => {
  it.live(
    "has its arguments as they are, its directory, and nothing of the environment and the files of the service",
    () =>
      Effect.gen(function* () {
        const { launch, linesOf } = yield* runner
        process.env.SOME_SECRET = "secret"
        openSync(import.meta.filename, "r")
        const { exited, id } = yield* launch("node", ["tells.mjs", "$HOME", "a  b; c", "*"], {
          environment: { FORUM_RPC_URL: "ws://127.0.0.1:1/rpc" }
        })
        yield* exited
        const told = yield* Schema.decodeUnknownEffect(Told)((yield* linesOf(id))[0])
        assert.deepStrictEqual(told.args, ["$HOME", "a  b; c", "*"])
        assert.strictEqual(told.directory, "/plugin")
        assert.deepStrictEqual(
          Object.keys(told.environment)
            .filter((name) => !/^(https?|no)_proxy$/i.test(name))
            .sort(),
          [
            "FORUM_PLUGIN",
            "FORUM_RPC_URL",
            "GOMEMLIMIT",
            "HOME",
            "LANG",
            "NODE_OPTIONS",
            "NODE_USE_ENV_PROXY",
            "PATH",
            "PWD",
            "TMPDIR"
          ]
        )
        assert.strictEqual(told.environment.HOME, "/plugin")
        assert.strictEqual(told.environment.TMPDIR, "/tmp")
        const opened = told.files.filter((file) => !/anon_inode|\/proc\/|pipe:|\/dev\/null/.test(file))
        assert.sameMembers(
          opened.map((file) => file.replace(/:.*/, "")),
          ["1 socket", "2 socket"]
        )
      }).pipe(Effect.scoped)
  )

  it.live("sees an empty machine but for what it needs, in namespaces and with a group of its own", () =>
    Effect.gen(function* () {
      const { launch, linesOf } = yield* runner
      const script = `
        const { readdirSync, readlinkSync } = require("node:fs")
        const list = (path) => readdirSync(path).sort()
        const namespaces = ${JSON.stringify(namespaces)}.map((name) => readlinkSync("/proc/self/ns/" + name))
        const groups = [process.getgid(), ...process.getgroups()]
        const listed = [list("/"), list("/old"), list("/again"), list("/plugin"), list("/tmp"), list("/dev"), list("/forum")]
        console.log(JSON.stringify({ namespaces, groups, listed }))`
      const { directory, exited, id } = yield* launch("node", ["--eval", script])
      assert.strictEqual((yield* exited).text, "exit status 0")
      const {
        groups,
        listed,
        namespaces: entered
      } = yield* Schema.decodeUnknownEffect(Seen)((yield* linesOf(id))[0])
      const [top = [], ...below] = listed
      const allowed = ["again", "dev", "etc", "forum", "old", "plugin", "proc", "tmp", "usr"]
      const systems = ["bin", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "run", "sbin"]
      assert.deepStrictEqual(
        top.filter((name) => !systems.includes(name)),
        allowed
      )
      assert.deepStrictEqual(below, [
        [],
        [],
        readdirSync(directory).sort(),
        [],
        ["fd", "full", "null", "random", "shm", "urandom", "zero"],
        ["node"]
      ])
      const ours = namespaces.map((name) => readlinkSync(`/proc/self/ns/${name}`))
      assert.deepStrictEqual(
        entered.filter((name) => ours.includes(name)),
        []
      )
      assert.strictEqual(new Set(groups).size, 1)
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
    }).pipe(Effect.scoped)
  )

  it.live("finds an empty directory for temporary files at each start", () =>
    Effect.gen(function* () {
      const { linesOf, prepare, processes } = yield* runner
      const program = prepare("/bin/sh", ["-c", 'ls -A /tmp; echo "$TMPDIR"; echo written > /tmp/left'])
      for (const _ of [1, 2]) {
        const running = Effect.flatMap(processes.launch(program), ({ exited }) => exited)
        assert.strictEqual((yield* Effect.scoped(running)).text, "exit status 0")
      }
      assert.deepStrictEqual(yield* linesOf(program.id), ["/tmp", "/tmp"])
    }).pipe(Effect.scoped)
  )

  it.live("reaches nothing of the service but its port", () =>
    Effect.gen(function* () {
      const { end, isolation, told } = yield* attack([])
      assert.strictEqual(end.text, "exit status 0")
      assert.deepStrictEqual(succeeded(told), { ...allowed, ...noRights })
      const { user, ...others } = isolation
      assert.deepStrictEqual(others, { limits: "held", processes: "held", files: "held", network: "held" })
      assert.strictEqual(user === "held", process.getuid?.() === 0)
    }).pipe(Effect.scoped)
  )

  it.live(
    "reaches ports of the machine, and still none of its files, where it has no network of its own",
    () =>
      Effect.gen(function* () {
        const { isolation, told } = yield* attack(["network"])
        assert.deepStrictEqual(succeeded(told), {
          ...allowed,
          ...noRights,
          "database at a port": "connected"
        })
        assert.deepStrictEqual(isolation.network, { because: "left out" })
      }).pipe(Effect.scoped)
  )

  it.live("reaches nothing of the service but its port where an ordinary user runs that", () =>
    Effect.gen(function* () {
      const program = join(import.meta.dirname, "as-user.ts")
      const output = yield* Effect.promise(() =>
        promisify(execFile)("unshare", [...asUser, process.execPath, program], { encoding: "utf8" })
      )
      const { isolation, told } = yield* Schema.decodeUnknownEffect(Came)(output.stdout)
      assert.deepStrictEqual(succeeded(told), { ...allowed, ...noRights })
      assert.deepStrictEqual(isolation, {
        user: { because: "only root can give plugins users of their own" },
        limits: "held",
        processes: "held",
        files: "held",
        network: "held"
      })
    }).pipe(Effect.scoped)
  )

  it.live("is told of to operators once: what keeps it from the service, or does not", () =>
    Effect.gen(function* () {
      const linesWith = Effect.fnUntraced(function* (without: ReadonlyArray<"boxes">) {
        const { isolation } = yield* runnerWith({ without })
        assert.deepStrictEqual(yield* Logs, [])
        yield* isolation
        yield* isolation
        return (yield* Logs).map(({ level, message }) => `${level}: ${message}`)
      }, Effect.provide(Logging))
      const kept = yield* linesWith([])
      assert.match(kept[0] ?? "", /^INFO: Plugins have .*a disk with nothing of the service/)
      const open = yield* linesWith(["boxes"])
      assert.match(
        open[0] ?? "",
        /^WARN: Plugins have not: .*a disk with nothing of the service \(left out\)/
      )
      assert.deepStrictEqual([kept.length, open.length], [1, 1])
    }).pipe(Effect.scoped)
  )

  for (const how of ["exit", "stay"])
    it.live(`leaves nothing behind that ignores signals and has left its session, when it is to ${how}`, () =>
      Effect.gen(function* () {
        const { launch, linesUntil } = yield* runner
        const mark = newMark()
        const { exited, id, stop } = yield* launch("./detaches.sh", [how, "", mark])
        yield* linesUntil(id, "started")
        if (how === "stay") yield* stop
        yield* exited
        yield* checkNone(mark)
      }).pipe(Effect.scoped)
    )

  it.live("leaves nothing behind where it has no processes of its own, if it keeps its environment", () =>
    Effect.gen(function* () {
      const { isolation, launch, linesUntil } = yield* runnerWith({ without: ["boxes"] })
      assert.deepStrictEqual((yield* isolation).processes, { because: "left out" })
      const mark = newMark()
      const { exited, id } = yield* launch("./detaches.sh", ["exit", "keep", mark])
      yield* linesUntil(id, "started")
      assert.strictEqual((yield* exited).text, "exit status 3")
      yield* checkNone(mark)
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing behind where an ordinary user runs the service, and without namespaces", () =>
    Effect.gen(function* () {
      const mark = newMark()
      const text = yield* endAsUser(["boxes"], "./detaches.sh", "exit", "keep", mark)
      assert.strictEqual(text, "exit status 3")
      yield* checkNone(mark)
    }).pipe(Effect.scoped)
  )

  for (const [who, before] of [
    ["root or who runs the tests", []],
    ["an ordinary user", ["unshare", ...asUser]]
  ] as const)
    it.live(`ends with a service of ${who} that is killed`, () =>
      Effect.gen(function* () {
        const mark = newMark()
        const command = [...before, process.execPath, join(import.meta.dirname, "leaves.ts"), mark]
        const service = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "inherit"] })
        yield* Effect.promise(() => once(service.stdout, "data"))
        yield* untilProcesses(`sleep ${mark}`, (count) => count > 0)
        service.kill("SIGKILL")
        yield* checkNone(mark)
      }).pipe(Effect.scoped)
    )
})
