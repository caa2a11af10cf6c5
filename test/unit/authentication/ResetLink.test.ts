import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { decidePage, linkWith } from "../../../src/domain/authentication/ResetToken.ts"

const web = new URL("https://www.forum.test/base")
const pageAt = (url: string) => decidePage({ url, query: "token" }, web)

describe("decidePage", () => {
  it.each([
    "https://www.forum.test",
    "https://WWW.Forum.Test/reset",
    "http://www.forum.test:3000/reset?lang=is#form",
    "https://www.forum.test:8443"
  ])("lets a mail lead to %s", (url) => {
    expect(Result.isSuccess(pageAt(url))).toBe(true)
  })

  it.each([
    ["https://evil.example/reset", "evil.example"],
    ["https://forum.test/reset", "forum.test"],
    ["https://a.www.forum.test/reset", "a.www.forum.test"],
    ["https://evil-www.forum.test/", "evil-www.forum.test"],
    ["https://www.forum.test.evil.example/", "www.forum.test.evil.example"],
    ["https://www.forum.test./", "www.forum.test."],
    ["https://www.forum.test@evil.example/", "evil.example"],
    ["https://user@www.forum.test/", "www.forum.test"],
    ["https://user:secret@www.forum.test/", "www.forum.test"],
    ["https:\\\\evil.example\\@www.forum.test/", "evil.example"],
    ["https://evil.example#www.forum.test", "evil.example"]
  ])("does not let it lead to %s", (url, host) => {
    expect(Result.merge(Result.map(pageAt(url), String))).toMatchObject({
      metadata: { host, expected: "www.forum.test" }
    })
  })
})

describe("linkWith", () => {
  it.each([
    ["https://www.forum.test/reset", "token", "https://www.forum.test/reset?token=t-_1"],
    ["https://www.forum.test", "token", "https://www.forum.test/?token=t-_1"],
    ["https://www.forum.test/reset?", "token", "https://www.forum.test/reset?token=t-_1"],
    ["https://www.forum.test/r?a=%20b&c", "token", "https://www.forum.test/r?a=%20b&c&token=t-_1"],
    ["https://www.forum.test/r?a=1#form", "t", "https://www.forum.test/r?a=1&t=t-_1#form"],
    ["https://www.forum.test/r?token=old&a=1", "token", "https://www.forum.test/r?token=t-_1&a=1"],
    ["https://www.forum.test/r", "a&b=c#", "https://www.forum.test/r?a%26b%3Dc%23=t-_1"]
  ])("adds the token to %s as %s", (page, name, link) => {
    expect(linkWith(new URL(page), name, "t-_1")).toBe(link)
    expect(new URL(link).searchParams.getAll(name)).toEqual(["t-_1"])
  })
})
