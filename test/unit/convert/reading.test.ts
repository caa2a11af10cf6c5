/** How data of other programs are read: lines, rows, ids and instants. */
import { assert, describe, it } from "vitest"
import { sha1Of } from "../../../src/operator/convert/discourse/Addresses.ts"
import { quotedIn } from "../../../src/operator/convert/markup/Blocks.ts"
import { htmlOf, markdownMax } from "../../../src/operator/convert/markup/Markdown.ts"
import { hashKey, setKey, sortedKey } from "../../../src/operator/convert/nodebb/Keys.ts"
import { copiedRows, fieldOf } from "../../../src/operator/convert/shared/CopyText.ts"
import { webAddress } from "../../../src/operator/convert/shared/Fields.ts"
import { idFrom, timeOf, timeOfMilliseconds } from "../../../src/operator/convert/shared/Ids.ts"
import { linesWithin } from "../../../src/operator/convert/shared/Lines.ts"
import type { Rule } from "../../../src/operator/convert/shared/Rules.ts"

const inPieces = async function* (text: string, length: number) {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

const collected = async <A>(items: AsyncIterable<A>) => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

describe("lines", () => {
  it("are the same in whatever pieces they come", async () => {
    const text = "añ\n\nlonger line\nlast"
    for (const length of [1, 2, 3, 7, 100])
      assert.deepStrictEqual((await collected(linesWithin(inPieces(text, length)))).flat(), [
        "añ",
        "",
        "longer line",
        "last"
      ])
  })

  it("that are too long are none, and those after them are whole", async () => {
    for (const length of [1, 4, 100])
      assert.deepStrictEqual(
        (await collected(linesWithin(inPieces("12345\n123456\n12\n", length), 5))).flat(),
        ["12345", undefined, "12"]
      )
  })
})

describe("rows", () => {
  it("have fields as PostgreSQL escapes them", () => {
    assert.deepStrictEqual(["\\N", "", "a\\tb\\nc\\\\d", "\\\\N", "\\x41\\101", "\\q"].map(fieldOf), [
      null,
      "",
      "a\tb\nc\\d",
      "\\N",
      "AA",
      "q"
    ])
  })

  it("are read of the tables that are wanted alone", async () => {
    const text = `COPY public.a (id, "position") FROM stdin;\n1\tx\n2\t\\N\n\\.\nCOPY public.b (id) FROM stdin;\n3\n\\.\n`
    const blocks = await collected(copiedRows(inPieces(text, 5), (table) => table === "a"))
    assert.deepStrictEqual(
      blocks.flatMap(({ rows }) => rows),
      [
        ["1", "x"],
        ["2", null]
      ]
    )
    assert.isTrue(blocks.every(({ columns, table }) => table === "a" && columns.join() === "id,position"))
    assert.strictEqual(blocks.filter(({ isLast }) => isLast).length, 1)
  })
})

describe("ids and instants", () => {
  it("are like those of the service, and always the same", () => {
    assert.match(idFrom("x", "y", 1), /^[0-9a-v]{19}[0g]$/)
    assert.strictEqual(idFrom("x", "y", 1), idFrom("x", "y", "1"))
    assert.strictEqual(
      new Set(
        ["x y 1", "x y 11", "x z 1", "w y 1"].map((of) => idFrom(of[0] ?? "", of[2] ?? "", of.slice(4)))
      ).size,
      4
    )
    assert.strictEqual(sha1Of("1Eg9p8rrCURq4T3a6iJUk0ri6"), "0000c513e1da04f7b4e99230851ea2aafeb8cc4e")
    assert.isUndefined(sha1Of("Z".repeat(28)))
  })

  it("are none where they cannot be read", () => {
    assert.strictEqual(timeOf("2020-01-02 03:04:05.678"), "2020-01-02T03:04:05.678Z")
    for (const text of ["infinity", "0044-03-15 00:00:00 BC", "2020-13-01 00:00:00", "", null])
      assert.isUndefined(timeOf(text))
    assert.strictEqual(timeOfMilliseconds("1577872800123.9"), "2020-01-01T10:00:00.123Z")
    assert.strictEqual(timeOfMilliseconds(253_402_300_799_999n), "9999-12-31T23:59:59.999Z")
    for (const value of [
      0,
      -1,
      253_402_300_800_000,
      10n ** 18n,
      "",
      "x",
      null,
      undefined,
      Number.NaN,
      "1e999"
    ])
      assert.isUndefined(timeOfMilliseconds(value))
    assert.strictEqual(webAddress("boats.example"), "https://boats.example/")
    assert.isUndefined(webAddress("javascript:alert(1)"))
  })
})

describe("keys of NodeBB", () => {
  it("are of numbered things, of lists of them, or of nothing that is read", () => {
    assert.deepStrictEqual(
      ["post:12", "user:1:settings", "group:Sea folk", "chat:room:3", "config"].map(hashKey),
      [
        { kind: "post", id: "12" },
        { kind: "settings", id: "1" },
        { kind: "group", id: "Sea folk" },
        { kind: "room", id: "3" },
        { kind: "config", id: "" }
      ]
    )
    assert.deepStrictEqual(hashKey("post:https://a.example/1")?.kind, "elsewhere")
    for (const key of [
      "post:012",
      "post:0",
      "post:-1",
      "post:1e3",
      "posts:1",
      "message:1",
      "group:a:b",
      "sess:1"
    ])
      assert.isUndefined(hashKey(key))
    assert.deepStrictEqual(sortedKey("group:cid:1:privileges:groups:topics:read:members"), {
      kind: "members",
      id: "cid:1:privileges:groups:topics:read"
    })
    assert.isUndefined(sortedKey("group:registered-users:members"))
    assert.isUndefined(sortedKey("uid:1:downvote"))
    assert.deepStrictEqual(setKey("pid:4:downvote"), { kind: "downvote", id: "4" })
    assert.isUndefined(setKey("uid:4:upvote"))
  })
})

describe("Markdown", () => {
  const tellings: Array<Rule> = []
  const environment = {
    findPerson: (name: string) => (name.toLowerCase() === "freya" ? "0".repeat(20) : undefined),
    findPost: () => undefined,
    findAddress: () => undefined,
    tell: (rule: Rule) => {
      tellings.push(rule)
    }
  }

  it("knows whom a quote is of", () => {
    assert.deepStrictEqual(quotedIn('"freya, post:3, topic:4"'), { person: "freya", post: "3", topic: "4" })
    assert.deepStrictEqual(quotedIn('"Freya J, post:3, topic:4, username:freya"'), {
      person: "freya",
      post: "3",
      topic: "4"
    })
  })

  it("finds people in texts, and neither in code nor in addresses", () => {
    assert.strictEqual(
      htmlOf("@freya. `@freya` a@freya.example", environment),
      `<p><a href="sdr:profile/${"0".repeat(20)}">@freya</a>. <code>@freya</code> <a href="mailto:a@freya.example">a@freya.example</a></p>\n`
    )
  })

  it("makes no link within a link", () => {
    assert.strictEqual(
      htmlOf("[by @freya](https://a.example)", environment),
      `<p><a href="https://a.example">by @freya</a></p>\n`
    )
  })

  it("leaves a quote alone that never ends", () => {
    assert.strictEqual(htmlOf("[quote]\na", environment), "<p>[quote]<br>\na</p>\n")
  })

  it("takes a text as it is that is too long", () => {
    const html = htmlOf(`**<b>**${"a".repeat(markdownMax)}`, environment)
    assert.isTrue(html.startsWith("<p>**&#60;b&#62;**aaa"))
    assert.deepStrictEqual(tellings, ["text_too_long"])
  })

  it("takes no long time for what is made to take it", () => {
    const begun = process.cpuUsage()
    for (const text of [
      "[quote]\n".repeat(20_000),
      `${"[quote]\n".repeat(5000)}${"[/quote]\n".repeat(5000)}`,
      "@a".repeat(50_000),
      "<img ".repeat(20_000)
    ])
      htmlOf(text, environment)
    const { system, user } = process.cpuUsage(begun)
    assert.isBelow((system + user) / 1e6, 15)
  })
})
