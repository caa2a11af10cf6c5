/** A library that has grown: a page with as many children as may move at once, one full of drafts, and a deep tree. */
import { at, idOf, sentence, series, sqlId } from "./seed.ts"

/** As many as may move when the page is deleted, but for a few that attacks add. */
const children = 9950
const strangers = 3000
const levels = 64
const drafts = 1000

/** A page with many children that all have values, and one with drafts of strangers. */
export const shelf = idOf("node", 0)
export const crate = idOf("node", 1)

const firstChild = 0x1000
const firstStranger = 0x10000
const firstLevel = 0x20000

export const child = (n: number) => idOf("node", firstChild + (n % children))

/** The pages of the longest path that there may be, from the top. */
export const level = (n: number) => idOf("node", firstLevel + n)
export const deepest = level(levels - 1)

/** The member who has all drafts of versions that one may have. */
export const drafter = 3

const content = `'<body><p>A man had the idea.</p></body>'`

const page = (
  id: string,
  { name, owner, parent, position, visibility = "published" }: Readonly<Record<string, string>>
) => `${id}, now(), now(), ${sqlId("account", owner ?? "0")}, ${parent}, ${position}, ${name}, lower(${name}),
    'seeded-' || ${id}, 'A man had the idea.', ${content}, '${visibility}', 100`

const columns = `id, created_at, updated_at, owner_id, parent_id, position, name, name_form, slug, description, content,
  visibility, weight`

const place = (n: string) => `'z' || lpad((${n})::text, 9, '0') || '1'`

const pages = [
  // Triggers are made for a few rows at a time; what they keep is written here.
  `set local session_replication_role = replica`,
  `insert into nodes (${columns}) select ${page(sqlId("node", "n"), {
    name: "'Shelf ' || n",
    parent: "null",
    position: place("n")
  })} ${series(2)}`,
  `insert into nodes (${columns}) select ${page(sqlId("node", `n + ${firstChild}`), {
    name: "'Banana ' || n",
    owner: "n % 50",
    parent: `'${shelf}'`,
    position: place("n")
  })} ${series(children)}`,
  `insert into nodes (${columns}) select ${page(sqlId("node", `n + ${firstStranger}`), {
    name: "'Draft ' || n",
    owner: "n % 150",
    parent: `'${crate}'`,
    position: place("n"),
    visibility: "draft"
  })} ${series(strangers)}`,
  `insert into nodes (${columns}) select ${page(sqlId("node", `n + ${firstLevel}`), {
    name: "'Level ' || n",
    parent: `case when n > 0 then ${sqlId("node", `n + ${firstLevel - 1}`)} end`,
    position: place("n + 10")
  })} ${series(levels)}`,
  `insert into node_heights (node_id, height)
    select ${sqlId("node", "n")}, 2 ${series(2)}
    union all select ${sqlId("node", `n + ${firstLevel}`)}, ${levels} - n ${series(levels - 1)}`,
  `insert into search_texts (id, kind, author_id, created_at, visibility, title, slug, beginnings, body)
    select id, 'node', owner_id, created_at, visibility, replace(name_form, ' ', 'ø'), slug, array[name_form],
      replace(lower('A man had the idea.'), ' ', 'ø') || e'\\n' from nodes`
]

const properties = [
  `insert into property_fields (fid, parent_id, name, type, sort, version)
    select ${sqlId("field", "n")}, '${shelf}', (array['Weight', 'Place', 'Ripe'])[n + 1],
      (array['number', 'text', 'boolean'])[n + 1], n::text, nextval('property_field_versions') ${series(3)}`,
  `insert into property_values (node_id, fid, value, search)
    select ${sqlId("node", `n + ${firstChild}`)}, ${sqlId("field", "f")}, value, replace(lower(value), ' ', 'ø')
    ${series(children)}, generate_series(0, 2) f,
      lateral (select (array[(n % 977)::text, 'Under a banana ' || n % 13, (n % 2 = 0)::text])[f + 1] as value) v`,
  `update nodes n set value_bytes = (select sum(octet_length(value)) from property_values where node_id = n.id)
    where parent_id = '${shelf}'`,
  `update nodes set field_bytes = 330 where id = '${shelf}'`,
  `update search_texts set body = body || searched_values(id) where id >= '${child(0)}' and id <= '${child(children - 1)}'`
]

const versions = [
  `insert into node_versions (id, node_id, author_id, created_at, updated_at, status, name, slug, content, properties, meta)
    select ${sqlId("version", "n")}, ${sqlId("node", `n + ${firstChild + 5000}`)}, '${idOf("account", drafter)}', ${at("n")},
      ${at("n")}, 'draft', 'Draft', 'draft', '<body><p>' || repeat('${sentence}', 300) || '</p></body>', '[]', '{}'
    ${series(drafts)}`,
  `insert into node_draft_counts (account_id, drafts) values ('${idOf("account", drafter)}', ${drafts})`,
  `set local session_replication_role = origin`
]

export const librarySeed = [...pages, ...properties, ...versions]
