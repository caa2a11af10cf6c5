create table invitations (
  id text primary key,
  created_at timestamptz not null,
  creator_id text not null references accounts (id) on delete cascade,
  message text check (char_length(message) between 1 and 2000)
);

create index invitations_newest on invitations (created_at desc, id desc);
create index invitations_of_creator on invitations (creator_id, created_at desc, id desc);

create trigger invitations_number before insert on invitations
  for each row execute function check_number_of_rows('creator_id', '1000');

-- Accounts and invitations name each other.
alter table accounts
  add constraint accounts_invitation_id_fkey
    foreign key (invitation_id) references invitations (id) on delete set null;
