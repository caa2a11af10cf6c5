/** What is imported is there afterwards, as if people had written it here. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../process/support.ts"
import { stored } from "../backups.ts"
import {
  account,
  asset,
  at,
  category,
  directory,
  findingsOf,
  idOf,
  importFrom,
  reply,
  rows,
  thread,
  writeInput
} from "./inputs.ts"

const bytes = Buffer.from("The bytes of a file")

const community = {
  roles: [
    {
      id: idOf("o", 1),
      created_at: at(0),
      updated_at: at(0),
      name: "Helper",
      colour: "teal",
      permissions: ["MANAGE_POSTS"],
      meta: {},
      rank: 1,
      built_in: false
    }
  ],
  tags: [{ id: idOf("g", 1), created_at: at(1), name: "news" }],
  accounts: [
    account(1, { admin: true, founder: true, avatar_id: idOf("f", 1), interests: [idOf("g", 1)] }),
    account(2, { roles: [{ id: idOf("o", 1), badge: true }], invited_by: idOf("a", 1) }),
    account(3, {
      emails: [{ id: idOf("e", 1), created_at: at(3), address: "three@example.com", verified: true }]
    })
  ],
  assets: [asset(1, bytes)],
  links: [
    {
      id: idOf("l", 1),
      created_at: at(5),
      updated_at: at(5),
      url: "https://example.com/known",
      slug: "known",
      title: "Known",
      description: "",
      is_added: true
    }
  ],
  categories: [category(1), category(2, { parent_id: idOf("c", 1) })],
  threads: [
    thread(1, { category_id: idOf("c", 2), tag_ids: [idOf("g", 1)], link_id: idOf("l", 1) }),
    thread(2, { visibility: "draft" }),
    thread(3, { deleted_at: at(900) })
  ],
  replies: [
    reply(1, 1, {
      body: `<body><p>See <a href="https://example.com/known">this</a>, <a href="https://example.com/other">that</a> and <a href="sdr:profile/${idOf("a", 3)}">them</a></p></body>`
    }),
    reply(2, 1, { reply_to_id: idOf("r", 1), author_id: idOf("a", 1) }),
    reply(3, 1, { deleted_at: at(950) }),
    reply(4, 1, { visibility: "review", told: false })
  ],
  likes: [{ id: idOf("k", 1), created_at: at(400), post_id: idOf("r", 1), account_id: idOf("a", 3) }],
  reactions: [
    { id: idOf("m", 1), created_at: at(400), post_id: idOf("t", 1), account_id: idOf("a", 2), emoji: "👍" }
  ],
  collections: [
    {
      id: idOf("n", 1),
      created_at: at(500),
      updated_at: at(500),
      owner_id: idOf("a", 2),
      name: "Best",
      slug: "best"
    }
  ],
  collection_items: [
    {
      id: idOf("n", 2),
      collection_id: idOf("n", 1),
      added_by: idOf("a", 2),
      added_at: at(501),
      membership_type: "normal",
      post_id: idOf("t", 1)
    }
  ],
  read_marks: [
    { account_id: idOf("a", 1), thread_id: idOf("t", 1), read_at: at(202) },
    // Which replies there were is known better than what the clocks said.
    { account_id: idOf("a", 2), thread_id: idOf("t", 1), read_at: at(202), last_reply_id: idOf("r", 3) }
  ],
  follows: [{ id: idOf("u", 1), created_at: at(10), follower_id: idOf("a", 1), followed_id: idOf("a", 2) }],
  passwords: [
    { account_id: idOf("a", 1), hash: "$2b$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234" }
  ]
}

describe("an import into an empty instance", () => {
  it.effect("writes rows with all that the service writes beside them", () =>
    Effect.gen(function* () {
      const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      yield* writeInput(path, community, [bytes])
      const summary = yield* importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, path)
      assert.deepStrictEqual(yield* findingsOf(path), [])
      assert.strictEqual(summary.imported.replies, 4)

      assert.deepStrictEqual(
        yield* rows(
          url,
          `select id, reply_count, replies_made, unpublished_replies, last_reply_at, active_at, tag_ids, opening_weight > 0 as weighs,
            category_id, in_collections from threads order by id`
        ),
        [
          {
            id: idOf("t", 1),
            reply_count: 3,
            replies_made: 4,
            unpublished_replies: 1,
            last_reply_at: new Date(at(202)),
            active_at: new Date(at(202)),
            tag_ids: [idOf("g", 1)],
            weighs: true,
            category_id: idOf("c", 2),
            in_collections: 1
          },
          ...[2, 3].map((number) => ({
            id: idOf("t", number),
            reply_count: 0,
            replies_made: 0,
            unpublished_replies: 0,
            last_reply_at: null,
            active_at: new Date(at(100 + number)),
            tag_ids: [],
            weighs: true,
            category_id: null,
            in_collections: 0
          }))
        ]
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, ordinal, reply_to_id, like_count, react_count, link_count, description, told from posts where thread_id like 't%1_' order by ordinal"
        ),
        [
          {
            id: idOf("t", 1),
            ordinal: 0,
            reply_to_id: null,
            like_count: 0,
            react_count: 1,
            link_count: 0,
            description: "The text of thread 1",
            told: true
          },
          {
            id: idOf("r", 1),
            ordinal: 1,
            reply_to_id: null,
            like_count: 1,
            react_count: 0,
            link_count: 2,
            description: "See this, that and them",
            told: true
          },
          {
            id: idOf("r", 2),
            ordinal: 2,
            reply_to_id: idOf("r", 1),
            like_count: 0,
            react_count: 0,
            link_count: 0,
            description: "The text of reply 2",
            told: true
          },
          {
            id: idOf("r", 3),
            ordinal: 3,
            reply_to_id: null,
            like_count: 0,
            react_count: 0,
            link_count: 0,
            description: "The text of reply 3",
            told: true
          },
          {
            id: idOf("r", 4),
            ordinal: 4,
            reply_to_id: null,
            like_count: 0,
            react_count: 0,
            link_count: 0,
            description: "The text of reply 4",
            told: false
          }
        ]
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, body from search_texts where thread_id = id or kind = 'reply' order by id collate \"C\""
        ),
        [
          { id: idOf("r", 1), body: "seeøthis,øthatøandøthem" },
          { id: idOf("r", 2), body: "theøtextøoføreplyø2" },
          { id: idOf("r", 4), body: "theøtextøoføreplyø4" },
          { id: idOf("t", 1), body: "theøtextøoføthreadø1" },
          { id: idOf("t", 2), body: "theøtextøoføthreadø2" }
        ]
      )
      assert.deepStrictEqual(yield* rows(url, "select url, is_public, is_added from links order by url"), [
        { url: "https://example.com/known", is_public: true, is_added: true },
        { url: "https://example.com/other", is_public: true, is_added: false }
      ])
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select (select sum(links)::int from link_totals) as links,
            (select sum(published)::int from calendar_totals) =
              (select count(*)::int from calendar_events where visibility = 'published' and deleted_at is null) as events`
        ),
        [{ links: 2, events: true }]
      )
      const one = Effect.fnUntraced(function* (query: string) {
        const [row] = yield* rows(url, query)
        return Object.values(row ?? {})
      })
      assert.deepStrictEqual(yield* one("select account_id, told from post_mentions"), [idOf("a", 3), true])
      assert.deepStrictEqual(yield* one("select sum(published)::int from thread_totals"), [1])
      assert.deepStrictEqual(yield* one("select author_id, category_id, published from author_totals"), [
        idOf("a", 1),
        idOf("c", 2),
        1
      ])
      assert.deepStrictEqual(yield* one("select item_count from tags"), [1])
      assert.deepStrictEqual(yield* one(`select post_count from categories where parent_id is not null`), [1])
      assert.deepStrictEqual(
        yield* one("select like_score, followers from account_counts where like_score > 0"),
        [1, 1]
      )
      assert.deepStrictEqual(
        yield* rows(url, "select replies_read, publications_read from read_marks order by account_id"),
        [
          { replies_read: 2, publications_read: 0 },
          { replies_read: 3, publications_read: 0 }
        ]
      )
      assert.deepStrictEqual(yield* one("select item_count from collections"), [1])
      assert.deepStrictEqual(yield* one("select role_id, badge from account_roles"), [idOf("o", 1), true])
      assert.deepStrictEqual(yield* one("select account_id from founder"), [idOf("a", 1)])
      assert.deepStrictEqual(
        yield* one("select has_password, avatar_id, admin from accounts where has_password"),
        [true, idOf("f", 1), true]
      )
      assert.deepStrictEqual(yield* one("select size::int, mime_type, store from assets"), [
        bytes.length,
        "text/plain; charset=utf-8",
        "disk"
      ])
      assert.deepStrictEqual(yield* one("select count(*)::int from asset_uploads"), [0])
      assert.deepStrictEqual(yield* one("select account_id, address from account_emails"), [
        idOf("a", 3),
        "three@example.com"
      ])
      assert.deepStrictEqual(yield* one("select count(*)::int from event_log"), [0])
      assert.deepStrictEqual(yield* one("select to_regnamespace('forum_import')"), [null])
      assert.deepStrictEqual(yield* stored(dataDir), { [idOf("f", 1)]: bytes.toString("hex") })
      assert.deepStrictEqual(yield* rows(url, "select tgname from pg_trigger where tgenabled <> 'O'"), [])
      assert.deepStrictEqual(
        (yield* Effect.promise(() => readdir(join(path, "..")))).filter((name) =>
          name.endsWith(".unfinished")
        ),
        []
      )
    })
  )
})
