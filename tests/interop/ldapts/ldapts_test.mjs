// ldapts (npm) against the server named by the environment: bind, add, paged search, modify, rename, delete, compare.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Attribute, Change, Client, EqualityFilter, InvalidCredentialsError, NoSuchObjectError } from 'ldapts';

const { KAURI_URI: url, KAURI_ADMIN_DN: admin, KAURI_ADMIN_PASSWORD: password, KAURI_BASE: suffix } = process.env;
const base = `ou=ldapts,${suffix}`;

async function withClient(work) {
  const client = new Client({ url, timeout: 10000, connectTimeout: 10000 });
  try {
    await client.bind(admin, password);
    return await work(client);
  } finally {
    await client.unbind();
  }
}

test('bind: right, wrong password, anonymous refused data', async () => {
  await withClient(async () => {});
  const client = new Client({ url });
  await assert.rejects(client.bind(admin, 'wrong'), InvalidCredentialsError);
  await client.unbind();
});

test('add, read back', () => withClient(async (client) => {
  await client.add(suffix, { objectClass: 'domain', dc: 'example' });
  await client.add(base, { objectClass: 'organizationalUnit', ou: 'ldapts' });
  for (let i = 0; i < 25; i += 1) {
    await client.add(`uid=u${i},${base}`, {
      objectClass: ['inetOrgPerson'], uid: `u${i}`, cn: `Üser ${i}`, sn: 'Ldapts', mail: `u${i}@example.com`,
    });
  }
  const { searchEntries } = await client.search(`uid=u3,${base}`, { scope: 'base' });
  assert.equal(searchEntries.length, 1);
  assert.equal(searchEntries[0].cn, 'Üser 3');
}));

test('paged search finds all, with a filter object too', () => withClient(async (client) => {
  const { searchEntries } = await client.search(base, { scope: 'one', filter: '(sn=ldapts)', paged: { pageSize: 7 } });
  assert.equal(searchEntries.length, 25);
  const found = await client.search(base, { filter: new EqualityFilter({ attribute: 'uid', value: 'u9' }) });
  assert.equal(found.searchEntries.length, 1);
}));

test('modify: add, replace, delete', () => withClient(async (client) => {
  const dn = `uid=u1,${base}`;
  const change = (operation, type, values) =>
    new Change({ operation, modification: new Attribute({ type, values }) });
  await client.modify(dn, [change('add', 'telephoneNumber', ['+1 2', '+1 3']), change('replace', 'sn', ['New'])]);
  await client.modify(dn, [change('delete', 'telephoneNumber', ['+1 2'])]);
  const { searchEntries: [entry] } = await client.search(dn, { scope: 'base' });
  assert.equal(entry.telephoneNumber, '+1 3');
  assert.equal(entry.sn, 'New');
}));

test('compare', () => withClient(async (client) => {
  assert.equal(await client.compare(`uid=u1,${base}`, 'sn', 'NEW'), true);
  assert.equal(await client.compare(`uid=u1,${base}`, 'sn', 'other'), false);
}));

test('rename', () => withClient(async (client) => {
  await client.modifyDN(`uid=u2,${base}`, `uid=renamed,${base}`);
  await assert.rejects(client.search(`uid=u2,${base}`, { scope: 'base' }), NoSuchObjectError);
  const { searchEntries: [entry] } = await client.search(`uid=renamed,${base}`, { scope: 'base' });
  assert.equal(entry.uid, 'renamed');
}));

test('delete', () => withClient(async (client) => {
  const { searchEntries } = await client.search(base, { scope: 'one', attributes: ['1.1'] });
  for (const entry of searchEntries) await client.del(entry.dn);
  await client.del(base);
  await assert.rejects(client.search(base, { scope: 'base' }), NoSuchObjectError);
}));
