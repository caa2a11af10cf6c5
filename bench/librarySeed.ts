import { accounts, paragraph, sqlId } from "./seedParts.ts"

/** A library of 100,000 pages: one page with 10,000 children, and others with a hundred each. */
export const shelves = 900
const wide = 10_000
const fields = 20

/** The place of page `n` among its siblings. */
const place = "lpad(to_hex(n), 8, '0') || '1'"

const content = `'<body><h1>Page</h1>' || repeat(${paragraph}, 3) || '</body>'`

// Triggers would count on each page what all of them have alike.
export const library = [
  `alter table nodes disable trigger user`,
  `alter table property_values disable trigger user`,
  `alter table property_fields disable trigger user`,
  `insert into nodes (id, created_at, updated_at, owner_id, position, name, name_form, slug, visibility, content,
      description, field_bytes)
    select ${sqlId("n", "n")}, '2026-01-01Z', '2026-01-01Z', ${sqlId("a", "n")}, ${place}, 'Shelf ' || n, 'shelf ' || n,
      'shelf-' || n, 'published', ${content}, 'The quick brown fox jumps over the lazy dog.', 2200
    from generate_series(0, ${shelves}) n`,
  `insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, name_form, slug, visibility,
      content, description, value_bytes, weight)
    select ${sqlId("n", `${shelves + 1} + n`)}, '2026-01-01Z', '2026-01-01Z', ${sqlId("a", `n % ${accounts}`)},
      case when n < ${wide} then ${sqlId("n", "0")} else ${sqlId("n", `1 + (n - ${wide}) / 100`)} end, ${place},
      'Page ' || n, 'page ' || n, 'page-' || n, 'published', ${content},
      'The quick brown fox jumps over the lazy dog.', 160, 1000
    from generate_series(0, ${wide + shelves * 100 - 1}) n`,
  `insert into property_fields (fid, parent_id, name, type, sort, version)
    select ${sqlId("f", `shelf * ${fields} + field`)}, ${sqlId("n", "shelf")}, 'Field ' || field,
      case when field % 2 = 0 then 'number' else 'text' end, lpad(field::text, 2, '0'),
      nextval('property_field_versions')
    from generate_series(0, ${shelves}) shelf, generate_series(0, ${fields - 1}) field`,
  `insert into property_values (node_id, fid, value, search)
    select ${sqlId("n", `${shelves + 1} + n`)}, ${sqlId(
      "f",
      `(case when n < ${wide} then 0 else 1 + (n - ${wide}) / 100 end) * ${fields} + field`
    )}, ((n * 7919 + field) % 100000)::text,
      ((n * 7919 + field) % 100000)::text
    from generate_series(0, ${wide + shelves * 100 - 1}) n, generate_series(0, ${fields - 1}) field`,
  // A table that still waits for checks of its references cannot be altered.
  `set constraints all immediate`,
  `alter table nodes enable trigger user`,
  `alter table property_values enable trigger user`,
  `alter table property_fields enable trigger user`
]
