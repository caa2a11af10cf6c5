import { migration } from "../shared/migration.ts"

/** Whether others than their authors and moderators may read the rows. */
const isPublished = (row: string) => `(${row}visibility = 'published' and ${row}deleted_at is null)`

const columns = [
  `alter table threads
    -- When the last reply was made, whatever became of it: the next is not older.
    add column last_made_at timestamptz,
    -- How often a reply was published later than it was made.
    add column published_later integer not null default 0`,
  `alter table posts
    -- When it was last published, and which of these times of its thread that was; null if when it was made.
    add column published_at timestamptz,
    add column publication integer,
    add constraint posts_publication check ((published_at is null) = (publication is null))`,
  `create unique index posts_publication on posts (thread_id, publication) where publication is not null`,
  // As with the replies that were there: a mark says which publications were, which no clock can.
  `alter table read_marks add column publications_read integer not null default 0`
]

/** The number of replies of others that were made before an account read their thread, and published after that. */
const newlyPublished = `create function published_since(thread text, account text, replies integer, publications integer)
  returns integer language sql stable as $$
    select count(*)::int from posts where thread_id = thread and publication > publications and ordinal <= replies
      and ${isPublished("")} and author_id <> account
  $$`

// Which replies were held at first is not known any more: all count from when they were made.
const activity = [
  `update threads t set last_made_at = r.made, last_reply_at = r.published,
      active_at = coalesce(r.published, t.created_at)
    from (
      select thread_id, max(created_at) as made, max(created_at) filter (where ${isPublished("")}) as published
      from posts where ordinal > 0 group by thread_id
    ) r where t.id = r.thread_id`
]

/**
 * Whether a like counts for who wrote the post: it is another's, and the post can be read by all. An opening post is as
 * visible as its thread, whose row is the first to change: so whatever a transaction hides, it locks the counts of
 * authors once and in the order of their ids.
 */
const countsIn = (thread: string) => `${isPublished(`${thread}.`)} and ${countsInPublished}`
const countsInPublished = `l.account_id <> p.author_id and (p.ordinal = 0 or ${isPublished("p.")})`

/** Adds likes to the scores of authors, or takes them away. */
const adding = (likes: string) => `insert into account_counts as c (account_id, like_score)
        select p.author_id, count(*)::int from ${likes} group by p.author_id order by p.author_id
        on conflict (account_id) do update set like_score = c.like_score + excluded.like_score;`
const taking = (
  likes: string
) => `perform from account_counts where account_id in (select p.author_id from ${likes})
        order by account_id for no key update;
      update account_counts c set like_score = c.like_score - n.likes
        from (select p.author_id, count(*)::int as likes from ${likes} group by p.author_id) n
        where n.author_id = c.account_id;`

const keeping = (name: string, body: string) =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      ${body}
      return null;
    end $$`

const addingOrTaking = (likes: string) => `if ${isPublished("new.")} then
        ${adding(likes)}
      else
        ${taking(likes)}
      end if;`

const changed = `changed l join posts p on p.id = l.post_id join threads t on t.id = p.thread_id where ${countsIn("t")}`

const following = (table: string, condition: string) =>
  `create trigger ${table}_score after update of visibility, deleted_at on ${table} for each row
    when (${condition}${isPublished("old.")} <> ${isPublished("new.")}) execute function score_${table}()`

const scores = [
  keeping("score_insert", adding(changed)),
  keeping("score_delete", taking(changed)),
  keeping(
    "score_threads",
    addingOrTaking(
      `likes l join posts p on p.id = l.post_id where l.thread_id = new.id and ${countsInPublished}`
    )
  ),
  following("threads", ""),
  keeping(
    "score_posts",
    addingOrTaking(`likes l join threads t on t.id = l.thread_id cross join (select new.author_id) p
        where l.post_id = new.id and l.account_id <> p.author_id and ${isPublished("t.")}`)
  ),
  following("posts", "new.ordinal > 0 and "),
  `update account_counts c set like_score = coalesce((
      select count(*) from posts p join threads t on t.id = p.thread_id join likes l on l.post_id = p.id
      where p.author_id = c.account_id and ${countsIn("t")}), 0)
    where like_score > 0`
]

export default migration([...columns, newlyPublished, ...activity, ...scores])
