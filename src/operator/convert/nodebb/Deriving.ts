/** Makes tables of a forum of what NodeBB keeps as keys with values. Statements of SQL, in their order. */

const field = (name: string) => `h.data ->> '$."${name}"'`

/** A whole number that is one in JavaScript too; none of anything else. */
const whole = (name: string) =>
  `case when abs(cast(${field(name)} as real)) < 1e15 then cast(${field(name)} as integer) end`

/** As booleans are in a dump. */
const flag = (name: string) => `case when ${field(name)} in (1, '1', 'true') then 't' else 'f' end`

const instant = (name: string) => `instant_of(${field(name)})`

const unknown = "'1970-01-01T00:00:00Z'"

const id = "cast(h.id as integer)"

const of = (kind: string) => `from legacy_hash h where h.kind = '${kind}'`

const isMember = (group: string) =>
  `case when h.id in (select value from legacy_zset where kind = 'members' and id = '${group}') then 't' else 'f' end`

/** The score of somebody in a list of all who are banned. */
const banned = (list: string) =>
  `(select z.score from legacy_zset z where z.kind = '${list}' and z.id = '' and z.value = h.id)`

const config = (name: string) => `(select ${field(name)} from legacy_hash h where h.kind = 'config')`

const isNameShown = `coalesce((select h.data ->> '$."showfullname"' from legacy_hash h where h._key = 'user:' || u.id || ':settings'),
    ${config("showfullname")}, 0) in (1, '1', 'true') and coalesce(${config("hideFullname")}, 0) not in (1, '1', 'true')`

const systemGroups = `'administrators', 'Global Moderators', 'registered-users', 'verified-users', 'unverified-users',
  'banned-users', 'guests', 'spiders', 'fediverse'`

const people = [
  `insert or ignore into users (id, username, userslug, name, created_at, updated_at, admin, moderator, active, suspended_till,
      suspended_at, signature, picture, password, wrapped)
    select ${id}, ${field("username")}, coalesce(nullif(${field("userslug")}, ''), ${field("username")}), ${field("fullname")},
      ${instant("joindate")}, ${instant("joindate")}, ${isMember("administrators")}, ${isMember("Global Moderators")},
      ${flag("email:confirmed")},
      case when ${flag("banned")} = 't' or ${banned("users:banned")} is not null
        then coalesce(instant_of(${banned("users:banned:expire")}), ${instant("banned:expire")}, 'infinity') end,
      instant_of(${banned("users:banned")}), ${field("signature")}, ${field("picture")},
      ${field("password")}, ${flag("password:shaWrapped")}
    ${of("user")} and ${id} > 0 and coalesce(trim(${field("username")}), '') <> ''`,
  `insert or ignore into findings select 'users', u.id, 'name_hidden', '' from users u where u.name <> '' and not (${isNameShown})`,
  `update users as u set name = null where not (${isNameShown})`,
  `insert or ignore into user_emails select ${id}, ${id}, ${field("email")}, ${instant("joindate")}
    ${of("user")} and ${field("email")} <> '' and ${id} in (select id from users)`,
  `insert or ignore into user_profiles select ${id}, ${field("aboutme")}, ${field("website")}, ${field("location")}
    ${of("user")} and ${id} in (select id from users)`,
  `insert or ignore into groups select h.id, coalesce(nullif(${field("name")}, ''), h.id), null,
      case when h.id in (${systemGroups}) or ${flag("system")} = 't' then 't' else 'f' end,
      case when ${flag("hidden")} = 't' then 1 else 0 end, ${instant("createtime")}, ${instant("createtime")} ${of("group")}`,
  `insert or ignore into group_users select z.item, z.id, cast(z.value as integer) from legacy_zset z
    where z.kind = 'members' and z.id in (select id from groups where automatic = 'f')`
]

const places = [
  `insert or ignore into categories select ${id}, ${field("name")}, substr(${field("slug")}, instr(${field("slug")}, '/') + 1),
      ${field("description")}, ltrim(${field("bgColor")}, '#'), ${whole("order")}, nullif(${whole("parentCid")}, 0),
      ${flag("disabled")}, ${instant("timestamp")}, ${instant("timestamp")} ${of("category")}`
]

const discussion = [
  `insert or ignore into topics select ${id}, coalesce(${field("title")}, ''), substr(${field("slug")}, instr(${field("slug")}, '/') + 1),
      ${instant("timestamp")}, ${instant("timestamp")}, nullif(${whole("uid")}, 0), coalesce(${whole("cid")}, 0),
      case when ${flag("deleted")} = 't' then coalesce(${instant("deletedTimestamp")}, ${instant("timestamp")}, ${unknown}) end,
      case when ${flag("scheduled")} = 't' then 'draft' else 't' end, ${flag("locked")}, 'f',
      case when ${flag("pinned")} = 't' then coalesce(${instant("timestamp")}, ${unknown}) end, 'f', ${whole("mainPid")},
      ${field("tags")}, ${whole("mergeIntoTid")} ${of("topic")}`,
  `insert or ignore into posts select ${id}, nullif(${whole("uid")}, 0), ${whole("tid")}, null, ${instant("timestamp")},
      coalesce(${instant("edited")}, ${instant("timestamp")}), ${whole("toPid")}, null,
      case when ${flag("deleted")} = 't'
        then coalesce(${instant("deletedTimestamp")}, ${instant("edited")}, ${instant("timestamp")}, ${unknown}) end,
      'f', coalesce(${field("content")}, '') ${of("post")}`,
  // A topic begins with its main post, which counts as missing where it is not in the topic; the others are in the order of their times.
  `update posts set post_number = n.number from (
      select p.id, row_number() over (partition by p.topic_id order by p.id is not t.main, p.created_at, p.id)
        + (m.id is null) as number
      from posts p join topics t on t.id = p.topic_id left join posts m on m.id = t.main and m.topic_id = t.id) n
    where n.id = posts.id`,
  // No post has the number -1.
  `update posts as p set reply_to_post_number =
      coalesce((select q.post_number from posts q where q.id = p.to_id and q.topic_id = p.topic_id), -1)
    where p.to_id is not null and p.to_id <> 0`,
  `insert or ignore into post_actions
    select s.item, cast(s.id as integer), cast(s.value as integer), 2, null, coalesce(instant_of(
      (select z.score from legacy_zset z where z.kind = 'upvoted' and z.id = s.value and z.value = s.id)), p.created_at)
    from legacy_set s left join posts p on p.id = cast(s.id as integer) where s.kind = 'upvote'`
]

const tags = [
  // A list within a text; older releases have sets.
  `insert or ignore into topic_tags select t.id || char(10) || trim(e.value), t.id, trim(e.value)
    from topics t, json_each('[' || replace(json_quote(t.tags), ',', '","') || ']') e where t.tags <> '' and trim(e.value) <> ''`,
  `insert or ignore into topic_tags select s.id || char(10) || s.value, cast(s.id as integer), s.value
    from legacy_set s where s.kind = 'tags' and s.value <> ''`
]

export const deriving: ReadonlyArray<string> = [...people, ...places, ...discussion, ...tags]
