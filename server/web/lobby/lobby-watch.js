// The pools and the open seeks of the lobby, kept up to date while somebody looks.

/** @import { OpenSeek, Pool } from '../ui/protocol-types' */
/** @import { App } from '../ui/view-types' */

/** @typedef {{ pools: Pool[], seeks: OpenSeek[] }} Lobby */

/**
 * Calls `show` with the lobby, and again after each change. Returns a function that ends it.
 * @param {App} app
 * @param {(lobby: Lobby) => void} show
 */
export function watchLobby({ connection, showError }, show) {
  /** @type {Lobby} */
  let lobby = { pools: [], seeks: [] };
  const stop = connection.listen((news) => {
    if (news.type !== 'lobby_changed') return;
    const { pools = [], added = [], removed = [] } = news;
    lobby = {
      pools: lobby.pools.map((pool) => pools.find(({ name }) => name === pool.name) ?? pool),
      seeks: [...lobby.seeks.filter(({ seek }) => !removed.includes(seek)), ...added],
    };
    show(lobby);
  });
  const id = connection.newId();
  connection.repeat(
    id,
    { type: 'watch_lobby' },
    (answer) => {
      if (answer.type !== 'lobby') return;
      lobby = answer;
      show(lobby);
    },
    showError,
  );
  return () => {
    stop();
    connection.end(id);
    connection.send({ type: 'unwatch_lobby' }).catch(() => {});
  };
}
