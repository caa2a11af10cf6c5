import { migration } from "../shared/migration.ts"

export default migration([
  `alter table categories add column cover_image_asset_id text references assets (id) on delete set null`,
  `create index categories_cover_image_asset_id on categories (cover_image_asset_id)
    where cover_image_asset_id is not null`
])
