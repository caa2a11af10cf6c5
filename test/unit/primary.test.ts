/** The address of a database that has several servers, and which of them is taken. */
import { assert, describe, it } from "@effect/vitest"
import { addressAt, readDatabaseAddress } from "../../src/persistence/primary/DatabaseAddress.ts"
import { primaryOf } from "../../src/persistence/primary/FindPrimary.ts"

const hostsOf = (text: string) => readDatabaseAddress(text)?.hosts.map(({ host, port }) => `${host} ${port}`)

describe("an address", () => {
  it.each([
    ["postgres://forum@db/forum", ["db 5432"]],
    ["postgresql://forum:p%40ss@db:6000/forum?sslmode=require", ["db 6000"]],
    ["postgres:///forum?host=/run/postgresql", ["/run/postgresql 5432"]],
    ["postgres://%2Frun%2Fpostgresql/forum", ["/run/postgresql 5432"]],
    [
      "postgres://u:p@a:5433,b,[::1]:5434/forum?target_session_attrs=read-write",
      ["a 5433", "b 5432", "::1 5434"]
    ],
    ["postgres:///forum?host=a,b&port=1,2", ["a 1", "b 2"]],
    ["postgres:///forum?host=a,b&port=6000&target_session_attrs=primary", ["a 6000", "b 6000"]],
    ["postgres:///forum", ["localhost 5432"]]
  ])("%s names %j", (text, hosts) => {
    assert.deepStrictEqual(hostsOf(text), hosts)
  })

  it.each([
    "mysql://db/forum",
    "postgres://a:70000/forum",
    "postgres://a:x,b/forum",
    "postgres://a b/forum",
    "postgres:///forum?host=a,&port=1,2",
    "postgres://a,b/forum?target_session_attrs=standby",
    "postgres://%zz/forum",
    "postgres:forum"
  ])("%s is none", (text) => {
    assert.isUndefined(readDatabaseAddress(text))
  })

  it("keeps everything else, and can name each of its hosts alone", () => {
    const address = readDatabaseAddress(
      "postgres://u:p%2C@a,b:2/forum?sslmode=require&target_session_attrs=read-write"
    )
    assert.strictEqual(address?.url, "postgres://u:p%2C@a:5432/forum?sslmode=require")
    assert.deepStrictEqual(
      address?.hosts.map((host) => addressAt(address, host)),
      ["postgres://u:p%2C@a:5432/forum?sslmode=require", "postgres://u:p%2C@b:2/forum?sslmode=require"]
    )
  })

  it("of one host is left as it is", () => {
    const text = "postgres:///forum?host=/run/postgresql&target_session_attrs=any"
    const address = readDatabaseAddress(text)
    assert.strictEqual(address?.url, text)
    assert.strictEqual(address && addressAt(address, address.hosts[0]), text)
  })
})

describe("of several servers", () => {
  const at = (host: string) => ({ host, port: 5432 })

  it("the one that was promoted last is the primary", () => {
    const asked = [
      { host: at("a"), state: { kind: "primary", timeline: 2 } },
      { host: at("b"), state: { kind: "primary", timeline: 3 } },
      { host: at("c"), state: { kind: "primary", timeline: 3 } }
    ] as const
    assert.deepStrictEqual(primaryOf(asked), at("b"))
  })

  it("none is, where none takes writes", () => {
    const asked = [
      { host: at("a"), state: { kind: "standby" } },
      { host: at("b"), state: { kind: "read-only" } },
      { host: at("c"), state: { kind: "silent", why: "refused" } }
    ] as const
    assert.isUndefined(primaryOf(asked))
  })
})
