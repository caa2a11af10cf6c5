import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  isRegisteredRedirect,
  type RedirectRefusal,
  redirectAddressMax,
  refusalOfOpenRedirect,
  refusalOfRedirect
} from "../../../src/domain/oauthclient/RedirectAddress.ts"

const characters = "has characters that addresses have percent-encoded only"
const scheme = "has a scheme that runs or shows what the address says"
const unclear = "is not one that browsers understand as it is written"
const open = "is neither https nor http of this machine"

/** Whether the address can be registered by administrators and by anybody, or why not. */
type Case = readonly [address: string, trusted?: RedirectRefusal | undefined, anybody?: RedirectRefusal]

describe("an address to register", () => {
  const of = (length: number) => "https://a.example/".padEnd(length, "x")
  const cases: ReadonlyArray<Case> = [
    ["https://a.example"],
    ["https://a.example/"],
    ["https://a.example/cb"],
    ["https://A.Example/Cb"],
    ["https://a.example:8443/cb?x=1&y=%20"],
    ["https://a.example:443/cb"],
    ["https://a.example?x=1"],
    ["https://a.example/cb?next=/../x"],
    ["https://a.example/cb?it's"],
    ["https://a.example/%7Euser/cb"],
    ["https://xn--bcher-kva.example/cb"],
    ["https://[2001:db8::1]/cb"],
    ["https://192.0.2.1/cb"],
    [of(redirectAddressMax)],
    ["http://localhost/cb"],
    ["http://localhost:3000/cb"],
    ["http://127.0.0.1/cb"],
    ["http://127.1.2.3:1/cb"],
    ["http://[::1]:8080/cb"],
    // Programs and other networks are for those who know what they do.
    ["http://a.example/cb", undefined, open],
    ["http://localhost.a.example/cb", undefined, open],
    ["http://127.0.0.1.a.example/cb", undefined, open],
    ["http://[::ffff:7f00:1]/cb", undefined, open],
    ["myapp://callback", undefined, open],
    ["com.example.app:/oauth2redirect", undefined, open],
    ["myapp:callback", undefined, open],
    ["https://a.example/*", undefined, "has a wildcard"],
    // What runs, or shows what others wrote.
    ["javascript:alert(1)", scheme],
    ["JavaScript://a.example/%0aalert(1)", scheme],
    ["data:text/html,x", scheme],
    ["vbscript:x", scheme],
    ["blob:https://a.example/1", scheme],
    ["file:///etc/passwd", scheme],
    ["about:blank", scheme],
    ["view-source:https://a.example", scheme],
    ["mailto:a@a.example", scheme],
    // What has no meaning, or several.
    ["", "is not absolute"],
    ["/cb", "is not absolute"],
    ["//a.example/cb", "is not absolute"],
    ["a.example/cb", "is not absolute"],
    [":", "is not absolute"],
    ["1app://x", "is not absolute"],
    ["myapp:", "has no host"],
    ["https:cb", "has no host"],
    ["https:", "has no host"],
    ["https:/a.example/cb", "has no host"],
    ["https:///a.example/cb", "has no host"],
    ["https://", "has no host"],
    ["https://?x", "has no host"],
    ["https://:443/cb", unclear],
    ["https://a.example/cb#", "has a fragment"],
    ["https://a.example/cb#x", "has a fragment"],
    ["myapp://callback#x", "has a fragment"],
    ["https://user@a.example/cb", "has a user name or password"],
    ["https://a.example@b.example/cb", "has a user name or password"],
    ["https://a.example:443@b.example/cb", "has a user name or password"],
    ["https://@a.example/cb", "has a user name or password"],
    ["https://*.a.example/cb", "has a wildcard"],
    ["https://*/cb", "has a wildcard"],
    ["https://a.example\\@b.example/cb", characters],
    ["https:\\\\a.example/cb", characters],
    ["https://a.example /cb", characters],
    [" https://a.example/cb", characters],
    ["https://a.example/cb\n", characters],
    ["https://a.example/\tcb", characters],
    ["https://a.example/\0", characters],
    ["https://a.example/<script>", characters],
    ['https://a.example/"', characters],
    ["https://a.example/`", characters],
    ["https://a.example/%", characters],
    ["https://a.example/%2", characters],
    ["https://a.example/%zz", characters],
    ["https://bücher.example/cb", characters],
    ["https://a。example/cb", characters],
    ["https://ａ.example/cb", characters],
    ["https://a.example%2f@b.example/cb", "has a user name or password"],
    ["https://a%2eexample/cb", unclear],
    ["https://a.example%00/cb", unclear],
    ["https://a.example:0/cb", unclear],
    ["https://a.example:/cb", unclear],
    ["https://a.example:080/cb", unclear],
    ["https://a.example:x/cb", unclear],
    ["https://a.example:65536/cb", "has a port that there is not"],
    ["https://a.example:99999/cb", "has a port that there is not"],
    ["https://a.example./cb", unclear],
    ["https://.a.example/cb", unclear],
    ["https://-a.example/cb", unclear],
    ["https://[::1/cb", unclear],
    ["https://[::g]/cb", unclear],
    ["https://[0:0:0:0:0:0:0:1]/cb", unclear],
    ["http://2130706433/cb", unclear],
    ["http://0x7f.1/cb", unclear],
    ["http://127.1/cb", unclear],
    ["http://127.0.0.01/cb", unclear],
    ["http://256.0.0.1/cb", unclear],
    ["https://a.example/../cb", "has dots as a part of its path"],
    ["https://a.example/x/./cb", "has dots as a part of its path"],
    ["https://a.example/x/..", "has dots as a part of its path"],
    ["https://a.example/%2e%2E/cb", "has dots as a part of its path"],
    ["https://a.example/.%2e/cb", "has dots as a part of its path"],
    ["myapp://[", unclear],
    [of(redirectAddressMax + 1), "too long"]
  ]
  it.each(cases.map(([address, trusted, anybody]) => ({ address, trusted, anybody })))("$address", (one) => {
    const { address, anybody, trusted } = one
    expect(refusalOfRedirect(address)).toBe(trusted)
    expect(refusalOfOpenRedirect(address)).toBe(trusted ?? anybody)
  })
})

describe("an address that is asked for", () => {
  it.each<readonly [registered: string, asked: string, isRegistered: boolean]>([
    ["https://a.example/cb", "https://a.example/cb", true],
    ["https://a.example/cb", "https://a.example/cb/", false],
    ["https://a.example/cb", "https://a.example/cb?", false],
    ["https://a.example/cb", "https://a.example/cb?x=1", false],
    ["https://a.example/cb", "https://a.example/cb#", false],
    ["https://a.example/cb", "https://a.example/c", false],
    ["https://a.example/cb", "https://a.example/cb2", false],
    ["https://a.example/cb", "https://a.example/%63b", false],
    ["https://a.example/cb", "https://a.example/x/../cb", false],
    ["https://a.example/cb", "https://a.example//cb", false],
    ["https://a.example/cb", "https://A.example/cb", false],
    ["https://a.example/cb", "HTTPS://a.example/cb", false],
    ["https://a.example/cb", "http://a.example/cb", false],
    ["https://a.example/cb", "https://a.example:443/cb", false],
    ["https://a.example/cb", "https://a.example:8443/cb", false],
    ["https://a.example/cb", "https://user@a.example/cb", false],
    ["https://a.example/cb", "https://a.example@b.example/cb", false],
    ["https://a.example/cb", "https://a.example.b.example/cb", false],
    ["https://a.example/cb", " https://a.example/cb", false],
    ["https://a.example/cb", "https://a.example/cb\n", false],
    ["https://a.example", "https://a.example/", false],
    ["https://a.example/cb", "", false],
    ["myapp://callback", "myapp://callback", true],
    ["myapp://callback", "myapp://callback:80", false],
    // The port of this machine's own addresses may be any.
    ["http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", true],
    ["http://127.0.0.1:8080/cb", "http://127.0.0.1:49152/cb", true],
    ["http://127.0.0.1:8080/cb", "http://127.0.0.1/cb", true],
    ["http://127.0.0.1:8080", "http://127.0.0.1:1", true],
    ["http://127.0.0.1/?x=1", "http://127.0.0.1:1/?x=1", true],
    ["http://127.0.0.1?x=1", "http://127.0.0.1:1?x=1", true],
    ["http://[::1]/cb", "http://[::1]:49152/cb", true],
    ["http://127.0.0.1/cb", "http://127.0.0.1:65535/cb", true],
    ["http://127.0.0.1/cb", "http://127.0.0.1:65536/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:0/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:080/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:x/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb/", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/other", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1/x/../cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:80@b.example/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1:80\\@b.example/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.1.b.example/cb", false],
    ["http://127.0.0.1/cb", "http://user@127.0.0.1:80/cb", false],
    ["http://127.0.0.1/cb", "https://127.0.0.1:80/cb", false],
    ["http://127.0.0.1/cb", "HTTP://127.0.0.1:80/cb", false],
    ["http://127.0.0.1/cb", "http://127.0.0.2:80/cb", false],
    ["http://127.0.0.1/cb", "http://127.1:80/cb", false],
    ["http://127.0.0.1/cb", "http://2130706433:80/cb", false],
    ["http://127.0.0.1/cb", "http://[::1]:80/cb", false],
    ["http://127.0.0.1/cb", "http://localhost:80/cb", false],
    ["http://[::1]/cb", "http://[0:0:0:0:0:0:0:1]:80/cb", false],
    ["http://[::1]/cb", "http://[::ffff:127.0.0.1]:80/cb", false],
    ["http://127.0.0.2/cb", "http://127.0.0.2:80/cb", false],
    ["https://127.0.0.1/cb", "https://127.0.0.1:8443/cb", false],
    // That of localhost, which is a name that others may answer for, may not.
    ["http://localhost/cb", "http://localhost/cb", true],
    ["http://localhost/cb", "http://localhost:3000/cb", false],
    ["http://localhost:3000/cb", "http://localhost:3001/cb", false]
  ])("where %j is registered: %j", (registered, asked, expected) => {
    expect(isRegisteredRedirect([registered], asked)).toBe(expected)
    expect(isRegisteredRedirect(["https://other.example/", registered], asked)).toBe(expected)
  })

  it("is refused where none is registered", () => {
    expect(isRegisteredRedirect([], "https://a.example/cb")).toBe(false)
  })

  it("never leads to another host than one that is registered", () => {
    const registered = ["https://a.example/cb", "http://127.0.0.1:8080/cb", "http://[::1]/cb"]
    const hosts = registered.map((address) => new URL(address).hostname)
    const anyAddress = fc
      .tuple(
        fc.constantFrom("http:", "https:"),
        fc.array(
          fc.constantFrom(
            "/",
            "@",
            ":",
            "\\",
            "127.0.0.1",
            "[::1]",
            "a.example",
            "b.example",
            "8080",
            "cb",
            "?",
            "#",
            "."
          )
        )
      )
      .map(([start, parts]) => `${start}//${parts.join("")}`)
    fc.assert(
      fc.property(anyAddress, (asked) => {
        if (isRegisteredRedirect(registered, asked)) expect(hosts).toContain(new URL(asked).hostname)
      })
    )
  })
})
