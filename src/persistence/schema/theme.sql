-- One row, which who replaces the theme locks.
create table theme (
  name text primary key check (name = 'active'),
  set_at timestamptz,
  set_by text references accounts (id) on delete set null
);

create index theme_set_by on theme (set_by) where set_by is not null;

insert into theme (name) values ('active');

create table theme_files (
  list text not null check (list in ('stylesheets', 'scripts')),
  -- In the order in which pages load them.
  place integer not null check (place between 0 and 31),
  asset_id text not null references assets (id),
  -- Of the bytes of the asset, which never change.
  integrity text not null check (integrity ~ '^sha384-[A-Za-z0-9+/]{64}$'),
  primary key (list, place),
  unique (list, asset_id)
);

create index theme_files_asset_id on theme_files (asset_id);
