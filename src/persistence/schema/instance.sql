-- The images of the instance, of each kind those of the last upload; without one, they are drawn.
create table instance_images (
  kind text primary key check (kind in ('icon', 'banner')),
  -- What the keys of the files begin with.
  upload_id text,
  -- The kind of store that has them.
  store text check (store in ('disk', 's3')),
  -- How many bytes each has, by the name of its size.
  lengths jsonb check (jsonb_typeof(lengths) = 'object'),
  check (num_nulls(upload_id, store, lengths) in (0, 3))
);

insert into instance_images (kind) values ('icon'), ('banner');
