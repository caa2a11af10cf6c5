/** The library is imported as if people had written it here, and its odd records are repaired or left out by rules with names. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../process/support.ts"
import {
  account,
  asset,
  at,
  directory,
  field,
  findingsOf,
  idOf,
  imported,
  importFrom,
  node,
  rows,
  value,
  version,
  writeInput
} from "./inputs.ts"

const bytes = Buffer.from("The bytes of a file")

const people = { accounts: [account(1, { admin: true, founder: true }), account(2)] }

const library = {
  ...people,
  tags: [{ id: idOf("g", 1), created_at: at(1), name: "news" }],
  assets: [asset(1, bytes)],
  nodes: [
    node(1, { position: "x", tag_ids: [idOf("g", 1)], assets: [{ id: idOf("f", 1), added_at: at(7) }] }),
    node(2, { position: "U", visibility: "draft", tag_ids: [idOf("g", 1)] }),
    node(3, {
      parent_id: idOf("p", 1),
      content: `<body><p>See <a href="https://example.com/known">this</a></p></body>`,
      description: "Said apart",
      current_version_id: idOf("v", 2),
      hide_child_tree: true,
      meta: { colour: "red" }
    }),
    node(4, { parent_id: idOf("p", 3) })
  ],
  property_fields: [
    field(1, { parent_id: idOf("p", 1), type: "number" }),
    field(2, { node_id: idOf("p", 1), name: "Own" })
  ],
  property_values: [value(3, 1, "42"), value(1, 2, "mine")],
  node_versions: [
    version(1, 3),
    version(2, 3, {
      content: `<body><p><a href="https://example.com/version">A link</a></p></body>`,
      has_own_content: true,
      known_fields: [{ fid: idOf("q", 1), name: "Field 1", type: "number", sort: "" }]
    }),
    version(3, 3, { status: "draft", description: "Proposed" })
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
      added_at: at(501),
      membership_type: "normal",
      node_id: idOf("p", 3)
    }
  ]
}

describe("an import of a library", () => {
  it.effect("writes pages with all that the service writes beside them", () =>
    Effect.gen(function* () {
      const { findings, one, url } = yield* imported(library, [bytes])
      assert.deepStrictEqual(findings, [])
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select id, parent_id, position, slug, description, visibility, hide_child_tree, current_version_id, name_form, tag_ids,
            asset_count, value_bytes, field_bytes > 0 as shares, own_field_bytes > 0 as has_own, weight > 0 as weighs
          from nodes order by id`
        ),
        [
          {
            id: idOf("p", 1),
            parent_id: null,
            position: "x",
            slug: "page-1",
            description: "The text of page 1",
            visibility: "published",
            hide_child_tree: false,
            current_version_id: null,
            name_form: "page 1",
            tag_ids: [idOf("g", 1)],
            asset_count: 1,
            value_bytes: 4,
            shares: true,
            has_own: true,
            weighs: true
          },
          {
            id: idOf("p", 2),
            parent_id: null,
            position: "U",
            slug: "page-2",
            description: "The text of page 2",
            visibility: "draft",
            hide_child_tree: false,
            current_version_id: null,
            name_form: "page 2",
            tag_ids: [idOf("g", 1)],
            asset_count: 0,
            value_bytes: 0,
            shares: false,
            has_own: false,
            weighs: true
          },
          {
            id: idOf("p", 3),
            parent_id: idOf("p", 1),
            position: "U003",
            slug: "page-3",
            description: "Said apart",
            visibility: "published",
            hide_child_tree: true,
            current_version_id: idOf("v", 2),
            name_form: "page 3",
            tag_ids: [],
            asset_count: 0,
            value_bytes: 2,
            shares: false,
            has_own: false,
            weighs: true
          },
          {
            id: idOf("p", 4),
            parent_id: idOf("p", 3),
            position: "U004",
            slug: "page-4",
            description: "The text of page 4",
            visibility: "published",
            hide_child_tree: false,
            current_version_id: null,
            name_form: "page 4",
            tag_ids: [],
            asset_count: 0,
            value_bytes: 0,
            shares: false,
            has_own: false,
            weighs: true
          }
        ]
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, status, ordinal, excerpt, links, description from node_versions order by id"
        ),
        [
          { id: idOf("v", 1), status: "applied", ordinal: 1, excerpt: null, links: null, description: null },
          {
            id: idOf("v", 2),
            status: "applied",
            ordinal: 2,
            excerpt: "A link",
            links: ["https://example.com/version"],
            description: null
          },
          {
            id: idOf("v", 3),
            status: "draft",
            ordinal: null,
            excerpt: null,
            links: null,
            description: "Proposed"
          }
        ]
      )
      assert.deepStrictEqual(
        yield* rows(
          url,
          "select id, title, slug, body, visibility from search_texts where kind = 'node' order by id"
        ),
        [
          {
            id: idOf("p", 1),
            title: "pageø1",
            slug: "page-1",
            body: "theøtextøoføpageø1\n\nmine",
            visibility: "published"
          },
          {
            id: idOf("p", 2),
            title: "pageø2",
            slug: "page-2",
            body: "theøtextøoføpageø2\n",
            visibility: "draft"
          },
          {
            id: idOf("p", 3),
            title: "pageø3",
            slug: "page-3",
            body: "seeøthis\nsaidøapart\n42",
            visibility: "published"
          },
          {
            id: idOf("p", 4),
            title: "pageø4",
            slug: "page-4",
            body: "theøtextøoføpageø4\n",
            visibility: "published"
          }
        ]
      )
      assert.deepStrictEqual(
        yield* rows(url, "select word, item_id from search_words where item_id like 'p%1_' order by word"),
        [
          { word: "1", item_id: idOf("p", 1) },
          { word: "page 1", item_id: idOf("p", 1) }
        ]
      )
      assert.deepStrictEqual(yield* rows(url, "select node_id, height from node_heights order by node_id"), [
        { node_id: idOf("p", 1), height: 3 },
        { node_id: idOf("p", 3), height: 2 }
      ])
      assert.deepStrictEqual(yield* one("select url, is_public from links"), [
        "https://example.com/known",
        true
      ])
      assert.deepStrictEqual(yield* one("select node_id, position from node_links"), [idOf("p", 3), 0])
      assert.deepStrictEqual(yield* one("select item_count from tags"), [1])
      assert.deepStrictEqual(yield* one("select node_id, listed from node_tags order by node_id"), [
        idOf("p", 1),
        true,
        idOf("p", 2),
        false
      ])
      assert.deepStrictEqual(yield* one("select added_at from node_assets"), [new Date(at(7))])
      assert.deepStrictEqual(yield* one("select account_id, drafts from node_draft_counts"), [
        idOf("a", 2),
        1
      ])
      assert.deepStrictEqual(yield* one("select node_id, post_id, thread_id from collection_items"), [
        idOf("p", 3),
        null,
        null
      ])
      assert.deepStrictEqual(yield* one("select item_count from collections"), [1])
      assert.deepStrictEqual(
        yield* one("select as_number::int, search from property_values where fid like 'q%1_'"),
        [42, "42"]
      )
    })
  )

  it.effect("puts pages to the top whose parent is nowhere, too deep or within itself", () =>
    Effect.gen(function* () {
      const chain = Array.from({ length: 130 }, (_, index) =>
        node(100 + index, index === 0 ? {} : { parent_id: idOf("p", 99 + index) })
      )
      const { findings, one } = yield* imported({
        ...people,
        nodes: [
          node(1, { parent_id: idOf("p", 3) }),
          node(2, { parent_id: idOf("p", 1) }),
          node(3, { parent_id: idOf("p", 2) }),
          node(4, { parent_id: idOf("p", 9) }),
          node(5, { parent_id: idOf("p", 5) }),
          ...chain
        ]
      })
      assert.deepStrictEqual(findings, [
        `nodes ${idOf("p", 1)} repaired cycle parent_id`,
        `nodes ${idOf("p", 4)} repaired parent_missing parent_id`,
        `nodes ${idOf("p", 5)} repaired cycle parent_id`,
        `nodes ${idOf("p", 164)} repaired too_deep parent_id`,
        `nodes ${idOf("p", 228)} repaired too_deep parent_id`
      ])
      assert.deepStrictEqual(
        yield* one("select id from nodes where parent_id is null order by id"),
        [1, 4, 5, 100, 164, 228].map((number) => idOf("p", number))
      )
      assert.deepStrictEqual(yield* one("select max(height)::int from node_heights"), [64])
    })
  )

  it.effect("keeps pages in their order, whatever texts say so", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        nodes: [
          node(1, { position: "000000000012-b" }),
          node(2, { position: "000000000003-a" }),
          node(3, { position: "000000000012-b" }),
          node(4, { position: "é" }),
          node(5, { position: undefined }),
          node(10, { parent_id: idOf("p", 1), position: "b" }),
          node(11, { parent_id: idOf("p", 1), position: "B" })
        ]
      })
      assert.deepStrictEqual(findings, [`nodes ${idOf("p", 3)} repaired order position`])
      assert.deepStrictEqual(
        yield* one("select id from nodes where parent_id is null order by position"),
        [2, 1, 3, 5, 4].map((number) => idOf("p", number))
      )
      assert.deepStrictEqual(
        yield* one("select position from nodes where parent_id is not null order by position"),
        ["B", "b"]
      )
      assert.deepStrictEqual(
        yield* one("select position from nodes where parent_id is null and position !~ '^[0-9A-Za-z]{4}$'"),
        []
      )
    })
  )

  it.effect("repairs names, slugs, markup, dates and what is not there", () =>
    Effect.gen(function* () {
      const { findings, one } = yield* imported({
        ...people,
        nodes: [
          node(1, { slug: "Not A Slug", name: "Two\nlines" }),
          node(2, { slug: "drafts" }),
          node(3, { slug: "same" }),
          node(4, { slug: "same" }),
          node(5, { content: `<p onclick="x()">Hello<script>alert(1)</script>`, description: undefined }),
          node(6, { content: `<p>${"long & ".repeat(200_000)}</p>`, description: "x".repeat(3000) }),
          node(7, { owner_id: idOf("a", 9), created_at: "1066-10-14T09:00:00Z", visibility: "secret" }),
          node(8, {
            link_id: idOf("l", 9),
            primary_image_id: idOf("f", 9),
            current_version_id: idOf("v", 9),
            tag_ids: [idOf("g", 9)],
            assets: [{ id: idOf("f", 9), added_at: "2025-02-31T00:00:00Z" }]
          }),
          node(9, { slug: undefined, name: "Made of a name" }),
          node(9)
        ]
      })
      assert.deepStrictEqual(findings.toSorted(), [
        `nodes ${idOf("p", 1)} repaired name_changed name`,
        `nodes ${idOf("p", 1)} repaired slug_changed slug`,
        `nodes ${idOf("p", 2)} repaired slug_changed slug`,
        `nodes ${idOf("p", 4)} repaired slug_changed slug`,
        `nodes ${idOf("p", 6)} repaired markup_too_complex content`,
        `nodes ${idOf("p", 6)} repaired text_cut description`,
        `nodes ${idOf("p", 7)} repaired account_unknown owner_id`,
        `nodes ${idOf("p", 7)} repaired invalid visibility`,
        `nodes ${idOf("p", 7)} repaired time_changed created_at`,
        `nodes ${idOf("p", 8)} repaired no_such_reference assets`,
        `nodes ${idOf("p", 8)} repaired no_such_reference current_version_id`,
        `nodes ${idOf("p", 8)} repaired no_such_reference link_id`,
        `nodes ${idOf("p", 8)} repaired no_such_reference primary_image_id`,
        `nodes ${idOf("p", 8)} repaired no_such_reference tag_ids`,
        `nodes ${idOf("p", 8)} repaired time_changed assets`,
        `nodes ${idOf("p", 9)} left out duplicate_id`
      ])
      assert.deepStrictEqual(yield* one("select slug from nodes order by id"), [
        "not-a-slug",
        "drafts-1",
        "same",
        `same-${idOf("p", 4)}`,
        "page-5",
        "page-6",
        "page-7",
        "page-8",
        "made-of-a-name"
      ])
      assert.deepStrictEqual(
        yield* one(`select content, description from nodes where id = '${idOf("p", 5)}'`),
        ["<body><p>Hello</p></body>", "Hello"]
      )
      assert.deepStrictEqual(
        yield* one(
          `select length(content) <= 524288, length(description)::int from nodes where id = '${idOf("p", 6)}'`
        ),
        [true, 2000]
      )
      assert.deepStrictEqual(
        yield* one(
          `select a.handle, n.visibility, n.created_at from nodes n join accounts a on a.id = n.owner_id where n.id = '${idOf("p", 7)}'`
        ),
        ["deleted-account", "draft", new Date(0)]
      )
    })
  )

  it.effect("repairs fields, and leaves out values of fields that a page does not have", () =>
    Effect.gen(function* () {
      const group = { parent_id: idOf("p", 1) }
      const { findings, one } = yield* imported({
        ...people,
        nodes: [node(1), node(2, group), node(3), node(4, { parent_id: idOf("p", 9) })],
        property_fields: [
          field(1, { ...group, type: "colour" }),
          field(2, { ...group, name: "Field 1" }),
          field(3, { ...group, node_id: idOf("p", 3) }),
          field(4),
          field(5, { node_id: idOf("p", 2) }),
          field(6, { parent_id: idOf("p", 9) }),
          ...Array.from({ length: 100 }, (_, index) => field(100 + index, group))
        ],
        property_values: [
          value(2, 1, "no number"),
          value(2, 1, "twice"),
          value(3, 1, "of others"),
          value(4, 6, "of nobody"),
          value(2, 5, "not its own"),
          value(2, 2, ""),
          value(2, 100, "x".repeat(10_001)),
          value(2, 199, "beyond")
        ]
      })
      const ofOthers = "property_values left out no_such_reference"
      assert.deepStrictEqual(findings, [
        `nodes ${idOf("p", 4)} repaired parent_missing parent_id`,
        `property_fields ${idOf("q", 1)} repaired invalid type`,
        `property_fields ${idOf("q", 2)} repaired name_changed name`,
        `property_fields ${idOf("q", 3)} left out invalid`,
        `property_fields ${idOf("q", 4)} left out invalid`,
        `property_fields ${idOf("q", 5)} left out no_such_reference`,
        `property_fields ${idOf("q", 6)} left out parent_missing`,
        `property_fields ${idOf("q", 198)} left out limit`,
        `property_fields ${idOf("q", 199)} left out limit`,
        "property_values left out duplicate",
        ofOthers,
        ofOthers,
        ofOthers,
        "property_values left out invalid",
        "property_values repaired text_cut value",
        ofOthers
      ])
      assert.deepStrictEqual(
        yield* one(
          "select name, type from property_fields where fid in ('" +
            [1, 2].map((n) => idOf("q", n)).join("','") +
            "') order by fid"
        ),
        ["Field 1", "text", `Field 1-${idOf("q", 2)}`, "text"]
      )
      assert.deepStrictEqual(yield* one("select left(value, 20) from property_values order by fid"), [
        "no number",
        "x".repeat(20)
      ])
    })
  )

  it.effect("repairs versions entry by entry, and takes one draft of a page", () =>
    Effect.gen(function* () {
      const entry = { name: "Field", type: "text", value: "x" }
      const { findings, one } = yield* imported({
        ...people,
        nodes: [node(1), node(2, { current_version_id: idOf("v", 1) })],
        node_versions: [
          version(1, 1, { author_id: idOf("a", 9), slug: "Not A Slug" }),
          version(2, 1, { status: "draft" }),
          version(3, 1, { status: "draft" }),
          version(4, 9),
          version(5, 1, { status: "proposed" }),
          version(6, 2, {
            status: "draft",
            properties: [
              { ...entry, type: "colour" },
              { ...entry, name: "" },
              "none",
              { ...entry, value: "x".repeat(10_001) },
              ...Array.from({ length: 120 }, (_, index) => ({ ...entry, name: `Field ${index}` }))
            ],
            known_fields: []
          }),
          version(7, 2, { properties: "none", known_fields: [] })
        ]
      })
      assert.deepStrictEqual(findings, [
        `node_versions ${idOf("v", 1)} repaired account_unknown author_id`,
        `node_versions ${idOf("v", 1)} repaired slug_changed slug`,
        `node_versions ${idOf("v", 3)} left out duplicate`,
        `node_versions ${idOf("v", 4)} left out no_such_reference`,
        `node_versions ${idOf("v", 5)} left out invalid`,
        `node_versions ${idOf("v", 6)} repaired invalid properties`,
        `node_versions ${idOf("v", 6)} repaired invalid properties`,
        `node_versions ${idOf("v", 6)} repaired limit properties`,
        `node_versions ${idOf("v", 7)} repaired invalid properties`,
        `nodes ${idOf("p", 2)} repaired no_such_reference current_version_id`
      ])
      assert.deepStrictEqual(
        yield* one(
          `select jsonb_array_length(properties), properties->0->>'type', length(properties->1->>'value')::int, known_fields
            from node_versions where id = '${idOf("v", 6)}'`
        ),
        [100, "text", 10_000, []]
      )
      assert.deepStrictEqual(
        yield* one(`select properties, known_fields from node_versions where id = '${idOf("v", 7)}'`),
        [[], null]
      )
    })
  )

  it.effect("beside what is there comes after it, with what belongs to it, and once", () =>
    Effect.gen(function* () {
      const [url, first, second, dataDir] = yield* Effect.all([
        Effect.promise(freshDatabase),
        directory,
        directory,
        directory
      ])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      yield* writeInput(first, library, [bytes])
      yield* importFrom(env, first)
      const pages = "select id, version, position, slug from nodes order by id"
      const before = yield* rows(url, pages)
      yield* importFrom(env, first)
      assert.deepStrictEqual(yield* rows(url, pages), before)
      assert.deepStrictEqual(
        (yield* findingsOf(first)).filter((line) => !line.endsWith("there already already_there")),
        ["property_values left out already_there", "property_values left out already_there"]
      )

      yield* writeInput(second, {
        accounts: [account(7)],
        nodes: [
          node(20, { owner_id: idOf("a", 7), position: "0001" }),
          // Another page with an id and a slug that one here has, and what belongs to it.
          node(3, { owner_id: idOf("a", 7), created_at: at(999), position: "0001", parent_id: idOf("p", 1) }),
          node(21, { owner_id: idOf("a", 7), parent_id: idOf("p", 3), position: "V" })
        ],
        property_fields: [
          field(1, { parent_id: idOf("p", 3), name: "Of another" }),
          field(9, { parent_id: idOf("p", 1), name: "Field 1" })
        ],
        property_values: [value(21, 1, "another")],
        node_versions: [
          version(1, 3, {
            author_id: idOf("a", 7),
            known_fields: [{ fid: idOf("q", 1), name: "Of another", type: "text", sort: "" }],
            properties: [{ fid: idOf("q", 1), name: "Of another", type: "text", value: "another" }]
          }),
          version(9, 1, { author_id: idOf("a", 7), status: "draft" })
        ]
      })
      yield* importFrom(env, second)
      assert.deepStrictEqual(
        (yield* rows(url, pages))
          .filter(({ id }) => before.some((row) => row.id === id))
          .map(({ position, slug }) => [position, slug]),
        before.map(({ position, slug }) => [position, slug])
      )
      const [moved] = yield* rows(
        url,
        `select id, slug, position > 'U003' as comes_last, parent_id from nodes where created_at = '${at(999)}'`
      )
      assert.deepStrictEqual(
        { ...moved, id: "" },
        { id: "", slug: `page-3-${moved?.id}`, comes_last: true, parent_id: idOf("p", 1) }
      )
      assert.deepStrictEqual(
        yield* rows(url, "select id from nodes where parent_id is null order by position"),
        [2, 1, 20].map((number) => ({ id: idOf("p", number) }))
      )
      assert.deepStrictEqual(yield* rows(url, `select parent_id from nodes where id = '${idOf("p", 21)}'`), [
        { parent_id: moved?.id }
      ])
      const [other] = yield* rows(
        url,
        `select f.fid, v.value, f.parent_id from property_values v join property_fields f using (fid) where v.node_id = '${idOf("p", 21)}'`
      )
      assert.deepInclude(other, { value: "another", parent_id: moved?.id })
      assert.notStrictEqual(other?.fid, idOf("q", 1))
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select properties->0->>'fid' as fid, known_fields->0->>'fid' as known from node_versions where node_id = '${moved?.id}'`
        ),
        [{ fid: other?.fid, known: other?.fid }]
      )
      const findings = yield* findingsOf(second)
      for (const line of [
        `nodes ${idOf("p", 3)} repaired id_changed id`,
        `property_fields ${idOf("q", 1)} repaired id_changed id`,
        `property_fields ${idOf("q", 9)} repaired name_changed name`
      ])
        assert.include(findings, line)
      assert.deepStrictEqual(
        yield* rows(url, "select node_id, height from node_heights order by height desc limit 1"),
        [{ node_id: idOf("p", 1), height: 3 }]
      )
    })
  )
})
