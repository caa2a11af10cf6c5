import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { ArchiveRefused } from "../../../src/domain/plugin/PluginArchives.ts"
import {
  goneMessage,
  isPluginToken,
  refusalOfArchive,
  statusOf,
  tokenOf
} from "../../../src/domain/plugin/PluginRules.ts"
import type { PluginState } from "../../../src/domain/plugin/PluginState.ts"
import type { StoredPlugin } from "../../../src/domain/plugin/PluginStore.ts"

const at = DateTime.makeUnsafe("2026-11-26T12:00:00Z")
const since = "2026-11-26T12:00:00.000Z"
const now = DateTime.add(at, { seconds: 10 })
const over = DateTime.add(at, { seconds: 5 })
const overAt = "2026-11-26T12:00:05.000Z"

const leases = {
  none: undefined,
  held: { holder: "here", until: DateTime.add(now, { seconds: 1 }) },
  gone: { holder: "there", until: over },
  just: { holder: "there", until: now }
}

const connections = {
  external: { mode: "external", sealedToken: new Uint8Array(), tokenHash: new Uint8Array() },
  supervised: {
    mode: "supervised",
    package: { place: { store: "disk", key: "a" }, size: 1, hash: new Uint8Array() }
  }
} as const satisfies Record<string, StoredPlugin["connection"]>

const failed = { message: "exit status 42", details: { exit_code: 42 } }

const stateOf = (name: PluginState["name"]): PluginState =>
  name === "error" || name === "restarting" ? { name, at, ...failed } : { name, at }

const statusOfRow = (
  mode: keyof typeof connections,
  isWanted: boolean,
  lease: keyof typeof leases,
  state: PluginState["name"]
) => statusOf({ connection: connections[mode], isWanted, lease: leases[lease], state: stateOf(state) }, now)

const inactive = { active_state: "inactive", deactivated_at: since }
const starting = { active_state: "starting", starting_at: since }
const connecting = { active_state: "connecting", connecting_at: since }
const active = { active_state: "active", activated_at: since }
const gone = { active_state: "restarting", message: goneMessage, details: {} }

describe("what becomes of a plugin", () => {
  it.each<[Parameters<typeof statusOfRow>, object]>([
    [["external", true, "none", "connecting"], connecting],
    [["external", true, "held", "connecting"], connecting],
    [["external", true, "held", "active"], active],
    [["external", true, "gone", "active"], { active_state: "connecting", connecting_at: overAt }],
    [["external", true, "none", "active"], connecting],
    [["supervised", false, "none", "inactive"], inactive],
    [["supervised", false, "held", "active"], inactive],
    [["supervised", false, "held", "error"], inactive],
    [["supervised", false, "gone", "active"], inactive],
    [["supervised", true, "none", "inactive"], starting],
    [["supervised", true, "held", "inactive"], starting],
    [["supervised", true, "held", "starting"], starting],
    [["supervised", true, "held", "connecting"], connecting],
    [["supervised", true, "held", "active"], active],
    [["supervised", true, "held", "restarting"], { active_state: "restarting", ...failed }],
    [["supervised", true, "held", "error"], { active_state: "error", ...failed }],
    [["supervised", true, "none", "error"], { active_state: "error", ...failed }],
    [["supervised", true, "gone", "active"], gone],
    [["supervised", true, "just", "error"], gone]
  ])("that is %j", (row, status) => {
    expect(statusOfRow(...row)).toEqual(status)
  })
})

describe("a token", () => {
  it("has a prefix and 32 letters and digits, of which none is likelier than others", () => {
    expect(tokenOf(new Uint8Array(64))).toBe(`sdprt_${"A".repeat(32)}`)
    expect(tokenOf(new Uint8Array(64).fill(248))).toBe(undefined)
    expect(tokenOf(new Uint8Array(64).fill(247))).toBe(`sdprt_${"9".repeat(32)}`)
    expect(tokenOf(new Uint8Array(31))).toBe(undefined)
  })

  it.each([
    [`sdprt_${"a".repeat(32)}`, true],
    [`sdprt_${"a".repeat(31)}`, false],
    [`sdprt_${"a".repeat(33)}`, false],
    [`sdprt_${"-".repeat(32)}`, false],
    [`fpk_${"a".repeat(32)}`, false]
  ])("is perhaps %s", (text, expected) => {
    expect(isPluginToken(text)).toBe(expected)
  })
})

describe("a refused archive", () => {
  it.each([
    ["format", "PluginFileNotArchive"],
    ["manifest-missing", "PluginFileWithoutManifest"],
    ["ratio", "PluginArchiveRefused"]
  ] as const)("for its %s is answered as %s", (reason, tag) => {
    expect(refusalOfArchive(new ArchiveRefused({ reason }))._tag).toBe(tag)
  })
})
