/** The files that the database names, other than those that are made again: small versions of images, and what waits to be removed. */

/**
 * For each table with columns that say where a file is: how they name it. What `asset_uploads` names belongs to nothing
 * that is in the database: uploads that are under way, and files that were replaced.
 */
export const naming: Readonly<Record<string, string | undefined>> = {
  assets: "select id as key, store from assets",
  plugins: "select package_key, package_store from plugins where package_key is not null",
  instance_images: `select upload_id || '-' || size, store
    from instance_images cross join lateral jsonb_object_keys(lengths) size where lengths is not null`,
  own_data_exports: "select key, store from own_data_exports where key is not null",
  asset_uploads: undefined
}

const all = Object.values(naming)
  .filter((query) => query !== undefined)
  .join(" union all ")

/** Each file once, by its key. */
export const namedFiles = `(select key, store from (${all}) named group by key, store order by key collate "C")`

/** What moves all files to another kind of store. */
export const movedTo = (store: string) => [
  `update assets set store = '${store}' where store <> '${store}'`,
  `update plugins set package_store = '${store}' where package_store <> '${store}'`,
  `update instance_images set store = '${store}' where store <> '${store}'`,
  `update own_data_exports set store = '${store}' where store <> '${store}'`,
  // What an upload or a replaced file has left stays where it was, out of reach of this database.
  `delete from asset_uploads where store <> '${store}'`
]

/** How many bytes they take, as far as the database knows: for who waits. */
export const estimatedSize = "select coalesce(sum(size), 0)::text as bytes from assets"
