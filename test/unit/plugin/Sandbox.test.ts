import { execFileSync } from "node:child_process"
import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { endByShell } from "../../../src/layers/adapters/plugins/Ends.ts"
import { makeMachine } from "../../../src/layers/adapters/plugins/Machine.ts"
import { readStat } from "../../../src/layers/adapters/plugins/ProcessTree.ts"
import { quote, scriptOf } from "../../../src/layers/adapters/plugins/Sandbox.ts"
import { giveTo, ranges, userOf } from "../../../src/layers/adapters/plugins/Users.ts"
import { type Means, wrapped } from "../../../src/layers/adapters/plugins/Wrapping.ts"

const limits = { memoryMegabytes: 256, diskMegabytes: 256, processes: 64, openFiles: 128, fileMegabytes: 16 }

const machine = {
  directories: [],
  links: [],
  etcFiles: [],
  etcDirectories: [],
  hidden: [],
  node: "/node",
  listener: "/listening.js",
  root: "/root"
}

const box = { uid: 0, directory: "/d", temporary: "/t", network: false, ports: [], path: "/bin" }

const commandWith = (means: Partial<Means>, uid?: number) =>
  wrapped(
    { endsWithService: true, limits: true, users: undefined, boxes: "none", asUser: true, ...means },
    machine,
    {
      command: ["./plugin", "a b"],
      limits,
      uid,
      box
    }
  )

describe("how plugins are started", () => {
  it("quotes paths for the shell, whatever is in them", () => {
    for (const text of ["plain", "a b", "it's", '$HOME `id` \\ "', "a\nb"])
      assert.strictEqual(execFileSync("sh", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" }), text)
  })

  it("does not limit the processes of the user of the service", () => {
    const isLimited = (command: ReadonlyArray<string>) => command.some((one) => one.startsWith("--nproc"))
    assert.isFalse(isLimited(commandWith({})))
    assert.isTrue(isLimited(commandWith({ boxes: "files" })))
    assert.isTrue(isLimited(commandWith({ users: { first: 1, count: 1 } }, 1)))
  })

  it("takes every right from it, and has its command last", () => {
    for (const command of [commandWith({}), commandWith({ boxes: "files and network" })]) {
      assert.include(command, "--no-new-privs")
      assert.deepStrictEqual(command.slice(-3), ["--", "./plugin", "a b"])
    }
    assert.deepStrictEqual(commandWith({ endsWithService: false, limits: false }), ["./plugin", "a b"])
    // The service may be in groups that read its files.
    assert.include(commandWith({ users: { first: 1, count: 1 } }, 1), "--clear-groups")
  })

  it("reads of a process what the system tells, whatever its name is", () => {
    const rest = Array.from({ length: 14 }, () => "0").join(" ")
    const stat = `12 (a) b (c) S 3 12 11 0 ${rest} 4711 0`
    assert.deepStrictEqual(readStat(stat), {
      pid: 12,
      state: "S",
      parent: 3,
      group: 12,
      session: 11,
      began: "4711"
    })
    assert.strictEqual(readStat(""), undefined)
  })

  it("tells of signals as a shell does, and of all other codes as they are", () => {
    assert.strictEqual(endByShell(42).text, "exit status 42")
    assert.strictEqual(endByShell(130).text, "signal: interrupt")
    assert.strictEqual(endByShell(139).text, "signal: segmentation fault")
    assert.strictEqual(endByShell(255).text, "exit status 255")
  })

  it("hides the data of the service, and where it was started, where these are among what plugins see", () => {
    const { hidden } = makeMachine("/var/empty", "/usr/bin")
    assert.include(hidden, "/usr/bin")
    assert.notInclude(makeMachine("/var/empty", "/usr").hidden, "/usr")
    const lines = scriptOf({ ...machine, hidden }, box).split("\n")
    assert.include(lines, "mount -t tmpfs -o size=4k,mode=0,ro forum 'usr/bin'")
  })

  it("gives a directory to a user, and nothing that is elsewhere", async () => {
    const root = mkdtempSync(join(tmpdir(), "forum-given-"))
    const [given, elsewhere] = [join(root, "given"), join(root, "elsewhere")]
    for (const directory of [join(given, "below"), elsewhere]) mkdirSync(directory, { recursive: true })
    for (const name of ["linked", "named twice"]) writeFileSync(join(elsewhere, name), "")
    writeFileSync(join(given, "below", "own"), "")
    symlinkSync(join(elsewhere, "linked"), join(given, "link"))
    symlinkSync(elsewhere, join(given, "below", "link"))
    linkSync(join(elsewhere, "named twice"), join(given, "named twice"))
    const ours = process.getuid?.() ?? 0
    // Root alone can give files away.
    const theirs = ours === 0 ? 54_321 : ours
    await giveTo(theirs, given)
    const ownerOf = (...names: ReadonlyArray<string>) => lstatSync(join(...names)).uid
    for (const name of [".", "below", "below/own", "link", "below/link"])
      assert.strictEqual(ownerOf(given, name), theirs, name)
    for (const name of [".", "linked", "named twice"])
      assert.strictEqual(ownerOf(elsewhere, name), ours, name)
    rmSync(root, { recursive: true })
  })

  it("gives each plugin the same user again, and no user to two", () => {
    for (const range of ranges) {
      const uid = userOf("0000000000000000000g", range, new Set())
      assert.strictEqual(userOf("0000000000000000000g", range, new Set()), uid)
      assert.isTrue(uid >= range.first && uid < range.first + range.count)
      assert.notStrictEqual(userOf("0000000000000000000g", range, new Set([uid])), uid)
    }
    assert.throws(() => userOf("a", { first: 1, count: 1 }, new Set([1])), "All users are taken")
  })
})
