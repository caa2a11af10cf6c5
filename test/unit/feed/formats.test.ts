/** What feeds and calendars look like, byte by byte. */
import { assert, describe, it } from "@effect/vitest"
import { contentsMax, type Feed, type FeedEntry } from "../../../src/domain/feed/Feed.ts"
import { Timestamp } from "../../../src/domain/field/Resource.ts"
import { CalendarEventId } from "../../../src/domain/shared/Id.ts"
import { atom } from "../../../src/http/feed/Atom.ts"
import { calendarText } from "../../../src/http/feed/EventCalendar.ts"
import { feedText } from "../../../src/http/feed/FeedAnswers.ts"
import { jsonFeed } from "../../../src/http/feed/JsonFeed.ts"
import { rss } from "../../../src/http/feed/Rss.ts"

const at = (time: string) => Timestamp.make(time)

const entry: FeedEntry = {
  name: "tag:forum.test,2026:thread/dc0qdt7khh6uivg0002g",
  title: "Fish & chips",
  address: "https://www.forum.test/t/dc0qdt7khh6uivg0002g-fish-chips",
  createdAt: at("2026-11-21T14:13:09.001Z"),
  updatedAt: at("2026-11-21T15:00:00.000Z"),
  author: {
    name: "Odin",
    address: "https://www.forum.test/m/odin",
    avatar: "https://forum.test/api/accounts/odin/avatar"
  },
  summary: "Salt?",
  content: "<p>Salt?</p>",
  tags: ["food"],
  image: "https://forum.test/api/assets/fish.png"
}

const feed: Feed = {
  name: "tag:forum.test,2026:threads",
  title: "Forum",
  description: "All of it",
  address: "https://www.forum.test",
  entries: [entry]
}

const none: Feed = { ...feed, description: "", entries: [] }

const self = "https://forum.test/api/feeds/threads"

describe("a feed", () => {
  it("is Atom", () => {
    assert.strictEqual(
      feedText(atom, feed, `${self}.atom`),
      `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:forum.test,2026:threads</id><title>Forum</title><subtitle>All of it</subtitle><link rel="self" type="application/atom+xml" href="https://forum.test/api/feeds/threads.atom"/><link rel="alternate" type="text/html" href="https://www.forum.test"/><updated>2026-11-21T15:00:00.000Z</updated><entry><id>tag:forum.test,2026:thread/dc0qdt7khh6uivg0002g</id><title>Fish &amp; chips</title><link rel="alternate" type="text/html" href="https://www.forum.test/t/dc0qdt7khh6uivg0002g-fish-chips"/><published>2026-11-21T14:13:09.001Z</published><updated>2026-11-21T15:00:00.000Z</updated><author><name>Odin</name><uri>https://www.forum.test/m/odin</uri></author><category term="food"/><summary>Salt?</summary><content type="html">&lt;p&gt;Salt?&lt;/p&gt;</content></entry></feed>
`
    )
    assert.strictEqual(
      feedText(atom, none, `${self}.atom`),
      `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:forum.test,2026:threads</id><title>Forum</title><link rel="self" type="application/atom+xml" href="https://forum.test/api/feeds/threads.atom"/><link rel="alternate" type="text/html" href="https://www.forum.test"/><updated>1970-01-01T00:00:00.000Z</updated></feed>
`
    )
  })

  it("is RSS", () => {
    const head =
      '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    assert.strictEqual(
      feedText(rss, feed, `${self}.rss`),
      `<?xml version="1.0" encoding="utf-8"?>
${head}<channel><title>Forum</title><link>https://www.forum.test</link><description>All of it</description><lastBuildDate>Sat, 21 Nov 2026 15:00:00 GMT</lastBuildDate><atom:link rel="self" type="application/rss+xml" href="https://forum.test/api/feeds/threads.rss"/><item><title>Fish &amp; chips</title><link>https://www.forum.test/t/dc0qdt7khh6uivg0002g-fish-chips</link><guid isPermaLink="false">tag:forum.test,2026:thread/dc0qdt7khh6uivg0002g</guid><pubDate>Sat, 21 Nov 2026 14:13:09 GMT</pubDate><dc:creator>Odin</dc:creator><category>food</category><description>Salt?</description><content:encoded>&lt;p&gt;Salt?&lt;/p&gt;</content:encoded></item></channel></rss>
`
    )
    assert.strictEqual(
      feedText(rss, none, `${self}.rss`),
      `<?xml version="1.0" encoding="utf-8"?>
${head}<channel><title>Forum</title><link>https://www.forum.test</link><description>Forum</description><lastBuildDate>Thu, 01 Jan 1970 00:00:00 GMT</lastBuildDate><atom:link rel="self" type="application/rss+xml" href="https://forum.test/api/feeds/threads.rss"/></channel></rss>
`
    )
  })

  it("is JSON", () => {
    assert.deepStrictEqual(JSON.parse(feedText(jsonFeed, feed, `${self}.json`)), {
      version: "https://jsonfeed.org/version/1.1",
      title: "Forum",
      home_page_url: "https://www.forum.test",
      feed_url: "https://forum.test/api/feeds/threads.json",
      description: "All of it",
      items: [
        {
          id: entry.name,
          url: entry.address,
          title: "Fish & chips",
          content_html: "<p>Salt?</p>",
          summary: "Salt?",
          image: entry.image,
          date_published: "2026-11-21T14:13:09.001Z",
          date_modified: "2026-11-21T15:00:00.000Z",
          authors: [{ name: "Odin", url: entry.author.address, avatar: entry.author.avatar }],
          tags: ["food"]
        }
      ]
    })
    assert.deepStrictEqual(JSON.parse(feedText(jsonFeed, none, `${self}.json`)).items, [])
  })

  it("has no room for contents beyond its bytes as written, and still for short ones", () => {
    const long = { ...entry, content: "&".repeat(contentsMax / 5) }
    const many: Feed = { ...feed, entries: [entry, long, entry] }
    for (const [writer, whole] of [
      [atom, '<content type="html">'],
      [rss, "<content:encoded>"]
    ] as const) {
      const text = feedText(writer, many, self)
      assert.isBelow(Buffer.byteLength(text), 10_000)
      assert.lengthOf(text.split(whole), 3)
    }
    // As JSON it takes a fifth of that.
    const { items } = JSON.parse(feedText(jsonFeed, many, self))
    assert.strictEqual(items[1].content_html, long.content)
    const cut = JSON.parse(
      feedText(jsonFeed, { ...many, entries: [{ ...entry, content: "x".repeat(contentsMax) }] }, self)
    )
    assert.strictEqual(cut.items[0].content_text, "Salt?")
    assert.notProperty(cut.items[0], "content_html")
  })
})

describe("a calendar", () => {
  it("is written line by line", () => {
    const text = calendarText({
      title: "Forum",
      events: [
        {
          uid: "dc0qdt7khh6uivg0002g@forum.test",
          address: "https://www.forum.test/events/feast",
          isCertain: false,
          event: {
            id: CalendarEventId.make("dc0qdt7khh6uivg0002g"),
            createdAt: at("2026-11-21T14:13:09.001Z"),
            updatedAt: at("2026-11-21T14:14:09.000Z"),
            misc: {},
            name: "Feast",
            slug: "feast",
            description: "",
            time_range: { start: at("2030-01-02T10:00:00.999Z"), end: at("2030-01-02T12:00:00.000Z") },
            participation_policy: "open",
            visibility: "published",
            location: { location_type: "virtual", name: "Call", url: "https://call.test/" },
            meta: {}
          }
        }
      ]
    })
    assert.deepStrictEqual(text.split("\r\n"), [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//forum-service//feeds//EN",
      "CALSCALE:GREGORIAN",
      "NAME:Forum",
      "X-WR-CALNAME:Forum",
      "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
      "BEGIN:VEVENT",
      "UID:dc0qdt7khh6uivg0002g@forum.test",
      "DTSTAMP:20261121T141409Z",
      "CREATED:20261121T141309Z",
      "LAST-MODIFIED:20261121T141409Z",
      "SEQUENCE:59",
      "DTSTART:20300102T100000Z",
      "DTEND:20300102T120000Z",
      "SUMMARY:Feast",
      "LOCATION:Call",
      "CONFERENCE;VALUE=URI:https://call.test/",
      "STATUS:TENTATIVE",
      "URL:https://www.forum.test/events/feast",
      "END:VEVENT",
      "END:VCALENDAR",
      ""
    ])
  })
})
