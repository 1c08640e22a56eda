// The Spanish texts of the lobby.

/** @type {import('../texts.js').Texts} */
export const texts = {
  list_failed: 'No se pudo cargar la lista. Falla la conexión o el servidor.',
  retry_now: 'Reintentar ahora',
  play_anyone: 'Jugar con quien sea',
  post_wait: 'Publicar y esperar',
  challenge_by_name: 'Retar a alguien por su nombre',
  name: 'Nombre',
};
