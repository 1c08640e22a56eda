// The Spanish texts of a page without a connection.

/** @type {import('../texts.js').Texts} */
export const texts = {
  needs_connection: 'Esta página necesita conexión y se cargará en cuanto la haya.',
  works_now: 'Sin conexión puedes usar:',
  bots: 'Bots',
};
