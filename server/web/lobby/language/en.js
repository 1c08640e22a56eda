// The English texts of the lobby.

export const texts = {
  list_failed: 'The list could not be loaded. The connection or the server is down.',
  retry_now: 'Retry now',
  play_anyone: 'Play anyone',
  post_wait: 'Post and wait',
  challenge_by_name: 'Challenge somebody by name',
  name: 'Name',
};
