// Every text that people see, in every language, from one table.

import { settings } from './settings.js';

/** @typedef {'en' | 'ru' | 'es'} Language */

/** @type {Record<Language, string>} */
export const LANGUAGES = { en: 'English', ru: 'Русский', es: 'Español' };
/** @type {Language[]} */
const ORDER = ['en', 'ru', 'es'];

/** Each text in English, Russian and Spanish. */
const TEXTS = {
  // The frame.
  tagline: ['Five in a row, with anyone, in seconds.', 'Пять в ряд — с кем угодно, за секунды.', 'Cinco en línea, con cualquiera, en segundos.'],
  nothing_here: ['There is nothing here.', 'Здесь ничего нет.', 'Aquí no hay nada.'],
  try_again: ['Try again', 'Ещё раз', 'Reintentar'],
  play: ['Play', 'Играть', 'Jugar'],
  games: ['Games', 'Партии', 'Partidas'],
  analyse: ['Analyse', 'Анализ', 'Analizar'],
  settings: ['Settings', 'Настройки', 'Ajustes'],
  you: ['You', 'Вы', 'Tú'],
  close: ['Close', 'Закрыть', 'Cerrar'],
  undo: ['Undo', 'Отменить', 'Deshacer'],
  copy: ['Copy', 'Копировать', 'Copiar'],
  copied: ['Copied', 'Скопировано', 'Copiado'],
  share: ['Share', 'Поделиться', 'Compartir'],
  connecting: ['Connecting…', 'Подключение…', 'Conectando…'],
  connection_lost: ['Connection lost, coming back…', 'Связь потеряна, восстанавливаем…', 'Conexión perdida, volviendo…'],
  connection_back: ['Connected again.', 'Связь восстановлена.', 'Conectado de nuevo.'],
  identity_replaced: ['Your identity was replaced on another device. Open its new link here to go on.', 'Ваш ключ заменили на другом устройстве. Откройте здесь новую ссылку оттуда.', 'Tu identidad se cambió en otro dispositivo. Abre aquí su nuevo enlace para seguir.'],
  start_anew: ['Start as a new player', 'Начать новым игроком', 'Empezar como jugador nuevo'],
  connection_stopped: ['The connection is closed. Reload the page to play on.', 'Соединение закрыто. Обновите страницу, чтобы играть дальше.', 'La conexión está cerrada. Recarga la página para seguir.'],
  failed: ['That did not work. Try again in a moment.', 'Не получилось. Попробуйте ещё раз.', 'No ha funcionado. Inténtalo en un momento.'],

  // Words of the game.
  black: ['Black', 'Чёрные', 'Negras'],
  white: ['White', 'Белые', 'Blancas'],
  board: ['Board', 'Доска', 'Tablero'],
  seat_open: ['open seat', 'место свободно', 'asiento libre'],
  bot_level: ['Bot, level {level}', 'Бот, уровень {level}', 'Bot, nivel {level}'],
  bot_kind: ['Bot “{kind}”', 'Бот «{kind}»', 'Bot «{kind}»'],
  freestyle: ['Freestyle', 'Свободные правила', 'Libre'],
  standard: ['Standard', 'Стандарт', 'Estándar'],
  renju: ['Renju', 'Рэндзю', 'Renju'],
  caro: ['Caro', 'Каро', 'Caro'],
  caro_overline: ['Caro with overlines', 'Каро с длинными рядами', 'Caro con líneas largas'],
  mnk: ['Tic-tac-toe', 'Крестики-нолики', 'Tres en raya'],
  unbounded: ['without borders', 'без границ', 'sin bordes'],
  drawn: ['Draw: {why}', 'Ничья: {why}', 'Tablas: {why}'],
  black_won: ['Black won: {why}', 'Чёрные выиграли: {why}', 'Ganan Negras: {why}'],
  white_won: ['White won: {why}', 'Белые выиграли: {why}', 'Ganan Blancas: {why}'],
  you_won: ['You won', 'Вы выиграли', 'Has ganado'],
  you_lost: ['You lost', 'Вы проиграли', 'Has perdido'],
  is_drawn: ['Draw', 'Ничья', 'Tablas'],
  end_five: ['a full row', 'полный ряд', 'fila completa'],
  end_forbidden: ['only forbidden points were left', 'остались только запрещённые пункты', 'solo quedaban puntos prohibidos'],
  end_resignation: ['resignation', 'сдача', 'abandono'],
  end_agreement: ['agreed', 'по соглашению', 'de acuerdo'],
  end_time: ['time', 'время', 'tiempo'],
  end_abandonment: ['the opponent was gone', 'соперник ушёл', 'el rival se fue'],
  end_full_board: ['the board is full', 'доска заполнена', 'tablero lleno'],
  end_length_limit: ['4,000 moves', '4000 ходов', '4000 jugadas'],

  // The start.
  play_friend: ['Play a friend', 'Играть с другом', 'Jugar con un amigo'],
  play_friend_how: ['Make a room and pass on its link.', 'Создайте комнату и отправьте ссылку.', 'Crea una sala y comparte el enlace.'],
  play_bot: ['Play the bot', 'Играть с ботом', 'Jugar con el bot'],
  play_bot_how: ['It answers at once, on any board.', 'Отвечает сразу, на любой доске.', 'Responde al instante, en cualquier tablero.'],
  level: ['Level', 'Уровень', 'Nivel'],
  level_easy: ['easy', 'лёгкий', 'fácil'],
  level_fair: ['fair', 'средний', 'medio'],
  level_hard: ['hard', 'трудный', 'difícil'],
  level_fierce: ['fierce', 'свирепый', 'feroz'],
  watch: ['Watch', 'Смотреть', 'Mirar'],
  watch_how: ['Games that are played now.', 'Партии, которые идут сейчас.', 'Partidas en curso.'],
  watch_none: ['Nobody plays in public just now.', 'Сейчас никто не играет публично.', 'Nadie juega en público ahora.'],
  seats_open: ['Open seats', 'Свободные места', 'Asientos libres'],
  sit_here: ['Sit down', 'Сесть', 'Sentarse'],
  variant: ['Variant', 'Правила', 'Variante'],
  size: ['Board', 'Доска', 'Tablero'],
  clock: ['Clock', 'Часы', 'Reloj'],
  clock_none: ['no clock', 'без часов', 'sin reloj'],
  clock_each: ['{seconds} s a move', '{seconds} с на ход', '{seconds} s por jugada'],
  clock_byo: ['{minutes} min, then {periods} × {seconds} s', '{minutes} мин, затем {periods} × {seconds} с', '{minutes} min, luego {periods} × {seconds} s'],
  colour: ['Your colour', 'Ваш цвет', 'Tu color'],
  colour_random: ['any colour', 'любой цвет', 'cualquier color'],
  assistance: ['Help from bots allowed', 'Подсказки ботов разрешены', 'Se permite ayuda de bots'],
  public_room: ['Anyone may find and watch it', 'Могут найти и смотреть все', 'Cualquiera puede encontrarla y mirar'],

  // A room.
  invite: ['Invite your friend', 'Пригласите друга', 'Invita a tu amigo'],
  invite_how: ['Whoever opens this link first plays against you.', 'Кто первым откроет ссылку, тот и играет с вами.', 'Quien abra primero este enlace juega contra ti.'],
  invite_link: ['Link to this room', 'Ссылка на комнату', 'Enlace a esta sala'],
  invite_bot: ['Play the bot instead, level {level}', 'Сыграть с ботом, уровень {level}', 'Jugar con el bot, nivel {level}'],
  you_play: ['You play {stone}', 'Вы играете: {stone}', 'Juegas con {stone}'],
  you_watch: ['Both seats are taken. You are watching.', 'Оба места заняты. Вы смотрите.', 'Los dos asientos están ocupados. Estás mirando.'],
  waiting: ['Waiting for an opponent', 'Ждём соперника', 'Esperando rival'],
  your_turn: ['Your turn', 'Ваш ход', 'Tu turno'],
  their_turn: ['{name} is thinking', 'Ходит {name}', 'Piensa {name}'],
  looking_back: ['Move {ply} of {plies}', 'Ход {ply} из {plies}', 'Jugada {ply} de {plies}'],
  first: ['First move', 'К началу', 'Al principio'],
  previous: ['Previous move', 'Предыдущий ход', 'Jugada anterior'],
  next: ['Next move', 'Следующий ход', 'Jugada siguiente'],
  latest: ['Latest move', 'К последнему ходу', 'Última jugada'],
  moved: ['{stone} {point}', '{stone} {point}', '{stone} {point}'],
  taken_back: ['A move was taken back', 'Ход взят назад', 'Se retiró una jugada'],
  game_begins: ['The game begins. You are {stone}.', 'Партия началась. Вы: {stone}.', 'Empieza la partida. Tú: {stone}.'],
  seconds_left: ['{name}: {seconds} seconds left', '{name}: осталось {seconds} секунд', '{name}: quedan {seconds} segundos'],
  away: ['away', 'отошёл', 'ausente'],
  away_claim: ['away: you may claim in {seconds} s', 'отошёл: заявить можно через {seconds} с', 'ausente: puedes reclamar en {seconds} s'],
  claim_win: ['Claim the win', 'Заявить победу', 'Reclamar victoria'],
  claim_draw: ['Claim a draw', 'Заявить ничью', 'Reclamar tablas'],
  resign: ['Resign', 'Сдаться', 'Abandonar'],
  resigning: ['Resigning…', 'Сдаёмся…', 'Abandonando…'],
  draw: ['Offer a draw', 'Предложить ничью', 'Ofrecer tablas'],
  drawing: ['Offering a draw…', 'Предлагаем ничью…', 'Ofreciendo tablas…'],
  takeback: ['Take back', 'Взять ход назад', 'Retirar jugada'],
  taking_back: ['Asking for a takeback…', 'Просим вернуть ход…', 'Pidiendo retirar…'],
  rematch: ['Rematch', 'Реванш', 'Revancha'],
  rematching: ['Asking for a rematch…', 'Предлагаем реванш…', 'Pidiendo revancha…'],
  draw_offered: ['{name} offers a draw.', '{name} предлагает ничью.', '{name} ofrece tablas.'],
  draw_asked: ['You offered a draw.', 'Вы предложили ничью.', 'Has ofrecido tablas.'],
  draw_declined: ['The draw was declined.', 'Ничья отклонена.', 'Tablas rechazadas.'],
  takeback_asked: ['{name} asks to take a move back.', '{name} просит взять ход назад.', '{name} pide retirar una jugada.'],
  takeback_waits: ['You asked for a takeback.', 'Вы попросили вернуть ход.', 'Has pedido retirar una jugada.'],
  takeback_refused: ['The takeback was refused.', 'Возврат хода отклонён.', 'Petición rechazada.'],
  rematch_asked: ['{name} wants a rematch.', '{name} хочет реванш.', '{name} quiere la revancha.'],
  rematch_waits: ['You asked for a rematch.', 'Вы предложили реванш.', 'Has pedido la revancha.'],
  accept: ['Accept', 'Принять', 'Aceptar'],
  decline: ['Decline', 'Отклонить', 'Rechazar'],
  replay: ['Replay', 'Просмотр', 'Repetición'],
  new_game: ['New game', 'Новая партия', 'Nueva partida'],
  watching: ['Watching: {count}', 'Зрителей: {count}', 'Miran: {count}'],
  room_gone: ['This room is closed', 'Комната закрыта', 'La sala está cerrada'],
  room_gone_how: ['This room is closed. Its games are kept.', 'Комната закрыта. Её партии сохранены.', 'La sala está cerrada. Sus partidas se conservan.'],
  no_room: ['There is no such room', 'Такой комнаты нет', 'No existe esa sala'],
  no_room_how: ['It was closed, or the link is not complete.', 'Её закрыли, или ссылка неполная.', 'Se cerró, o el enlace no está completo.'],
  no_entry: ['You cannot get in just now', 'Сейчас сюда не попасть', 'Ahora no puedes entrar'],

  // Refusals, by reason: what happened, and what to do.
  refused_too_fast: ['That was too fast. Wait a moment, then try again.', 'Слишком быстро. Подождите немного и попробуйте ещё раз.', 'Demasiado rápido. Espera un momento e inténtalo de nuevo.'],
  refused_busy: ['The server is busy. Try again in a moment.', 'Сервер занят. Попробуйте чуть позже.', 'El servidor está ocupado. Inténtalo en un momento.'],
  refused_unavailable: ['The server cannot do that just now. Try again in a moment.', 'Сервер сейчас не может этого сделать. Попробуйте чуть позже.', 'El servidor no puede hacerlo ahora. Inténtalo en un momento.'],
  refused_stopping: ['The server restarts. Try again in a moment.', 'Сервер перезапускается. Попробуйте чуть позже.', 'El servidor se reinicia. Inténtalo en un momento.'],
  refused_too_many_rooms: ['You have too many open rooms. Close one of yours, then try again.', 'У вас слишком много открытых комнат. Закройте одну и попробуйте ещё раз.', 'Tienes demasiadas salas abiertas. Cierra una e inténtalo de nuevo.'],
  refused_too_many_rooms_from_address: ['Too many rooms are open from your network. Close one of yours, or try again later.', 'Из вашей сети открыто слишком много комнат. Закройте одну свою или попробуйте позже.', 'Hay demasiadas salas abiertas desde tu red. Cierra una tuya o inténtalo más tarde.'],
  refused_too_many_joined: ['You are in too many rooms. Leave one, then try again.', 'Вы в слишком многих комнатах. Выйдите из одной и попробуйте ещё раз.', 'Estás en demasiadas salas. Sal de una e inténtalo de nuevo.'],
  refused_server_full: ['The server is full. Try again later.', 'Сервер заполнен. Попробуйте позже.', 'El servidor está lleno. Inténtalo más tarde.'],
  refused_room_full: ['The room is full. Try again later.', 'Комната заполнена. Попробуйте позже.', 'La sala está llena. Inténtalo más tarde.'],
  refused_no_open_seat: ['Both seats are taken. You can watch.', 'Оба места заняты. Можно смотреть.', 'Los dos asientos están ocupados. Puedes mirar.'],
  refused_not_a_member: ['You are not in this room any more. Reload the page.', 'Вы больше не в этой комнате. Обновите страницу.', 'Ya no estás en esta sala. Recarga la página.'],
  refused_not_your_turn: ['It is your opponent’s turn. Wait for the move.', 'Ход соперника. Дождитесь его.', 'Le toca a tu rival. Espera su jugada.'],
  refused_stale_ply: ['The game has gone on. Look at the board again.', 'Партия уже пошла дальше. Посмотрите на доску.', 'La partida ha seguido. Mira otra vez el tablero.'],
  refused_game_running: ['The game is running. End it first.', 'Партия идёт. Сначала закончите её.', 'La partida está en curso. Termínala primero.'],
  refused_no_offer: ['That offer is no longer open.', 'Это предложение уже не действует.', 'Esa oferta ya no está abierta.'],
  refused_already_asked: ['You have asked already. Wait for the answer.', 'Вы уже спросили. Дождитесь ответа.', 'Ya lo has pedido. Espera la respuesta.'],
  refused_opponent_here: ['Your opponent is back. Play on.', 'Соперник вернулся. Играйте дальше.', 'Tu rival ha vuelto. Sigue jugando.'],
  refused_no_assistance: ['Help is not allowed in this game. Ask again when it is over.', 'В этой партии подсказки запрещены. Спросите после неё.', 'En esta partida no hay ayuda. Pídela cuando termine.'],
  refused_outside: ['No stone can go there. Choose another point.', 'Туда поставить нельзя. Выберите другой пункт.', 'Ahí no cabe una piedra. Elige otro punto.'],
  refused_too_far: ['That is too far from the first stone. Choose another point.', 'Слишком далеко от первого камня. Выберите другой пункт.', 'Está demasiado lejos de la primera piedra. Elige otro punto.'],
  refused_occupied: ['There is a stone on that point.', 'Там уже стоит камень.', 'Ya hay una piedra ahí.'],
  refused_double_three: ['Forbidden to Black: a double three.', 'Чёрным запрещено: вилка 3×3.', 'Prohibido a Negras: doble tres.'],
  refused_double_four: ['Forbidden to Black: a double four.', 'Чёрным запрещено: вилка 4×4.', 'Prohibido a Negras: doble cuatro.'],
  refused_overline: ['Forbidden to Black: six or more in a row.', 'Чёрным запрещено: шесть и больше в ряд.', 'Prohibido a Negras: seis o más en línea.'],

  // Chat.
  unseen: ['New below: {count}', 'Новое ниже: {count}', 'Nuevo abajo: {count}'],
  chat: ['Chat', 'Чат', 'Chat'],
  chat_say: ['Say something', 'Написать', 'Escribe algo'],
  chat_send: ['Send', 'Отправить', 'Enviar'],
  chat_quiet: ['Nobody has said anything.', 'Пока тихо.', 'Nadie ha dicho nada.'],
  chat_apart: ['Players do not see this while they play.', 'Игроки не видят этого во время партии.', 'Los jugadores no lo ven mientras juegan.'],
  chat_off: ['Chat is off in this room.', 'Чат в комнате выключен.', 'El chat está desactivado.'],
  chat_allowed: ['Chat in this room', 'Чат в этой комнате', 'Chat en esta sala'],
  spectator: ['spectator', 'зритель', 'espectador'],

  // Games.
  your_games: ['Your games', 'Ваши партии', 'Tus partidas'],
  finished_games: ['Finished games', 'Завершённые партии', 'Partidas terminadas'],
  game_over: ['The game is over', 'Партия окончена', 'La partida ha terminado'],
  close_room: ['Close the room', 'Закрыть комнату', 'Cerrar la sala'],
  leave: ['Leave', 'Выйти', 'Salir'],
  my_games: ['My games', 'Мои партии', 'Mis partidas'],
  public_games: ['Public games', 'Публичные партии', 'Partidas públicas'],
  search: ['Search by name, variant, date…', 'Поиск: имя, правила, дата…', 'Buscar: nombre, variante, fecha…'],
  no_games: ['No games yet.', 'Партий пока нет.', 'Aún no hay partidas.'],
  no_match: ['Nothing found.', 'Ничего не найдено.', 'No se ha encontrado nada.'],
  more: ['Show more', 'Показать ещё', 'Mostrar más'],
  won: ['won', 'победа', 'ganada'],
  lost: ['lost', 'поражение', 'perdida'],
  draw_short: ['draw', 'ничья', 'tablas'],
  moves_count: ['Moves: {plies}', 'Ходов: {plies}', 'Jugadas: {plies}'],

  // Settings, and who one is.
  theme: ['Theme', 'Тема', 'Tema'],
  theme_auto: ['As the system', 'Как в системе', 'Según el sistema'],
  theme_light: ['Light', 'Светлая', 'Claro'],
  theme_dark: ['Dark', 'Тёмная', 'Oscuro'],
  theme_contrast: ['High contrast', 'Контрастная', 'Alto contraste'],
  language: ['Language', 'Язык', 'Idioma'],
  language_auto: ['As the browser', 'Как в браузере', 'Según el navegador'],
  stones: ['Stones', 'Камни', 'Piedras'],
  stones_shaded: ['Shaded', 'Объёмные', 'Con sombra'],
  stones_flat: ['Flat', 'Плоские', 'Planas'],
  stones_marks: ['Crosses and rings', 'Крестики и нолики', 'Cruces y aros'],
  sounds: ['Sounds', 'Звуки', 'Sonidos'],
  confirm_touch: ['Confirm a touched point', 'Подтверждать касание', 'Confirmar el punto tocado'],
  premoves: ['Say a move while the opponent thinks', 'Ход заранее, пока думает соперник', 'Decir la jugada mientras piensa el rival'],
  numbers: ['Move numbers', 'Номера ходов', 'Números de jugada'],
  coordinates: ['Coordinates', 'Координаты', 'Coordenadas'],
  show_chat: ['Show chat', 'Показывать чат', 'Mostrar el chat'],
  your_name: ['Your name', 'Ваше имя', 'Tu nombre'],
  name_how: ['Others see it. You can play without one.', 'Его видят другие. Играть можно и без имени.', 'Los demás lo ven. Puedes jugar sin nombre.'],
  save: ['Save', 'Сохранить', 'Guardar'],
  other_device: ['Play on another device', 'Играть на другом устройстве', 'Jugar en otro dispositivo'],
  other_device_how: ['This link makes the other device you: your seats, your games. Show it to nobody else.', 'По этой ссылке другое устройство станет вами: ваши места и партии. Никому её не показывайте.', 'Este enlace hace que el otro dispositivo seas tú: tus asientos y partidas. No se lo enseñes a nadie.'],
  replace: ['Replace the link', 'Заменить ссылку', 'Cambiar el enlace'],
  replace_how: ['Has somebody else seen the link? Replace it: your name, seats and games stay, and the old link opens nothing any more. Your other devices need the new link.', 'Ссылку увидел кто-то ещё? Замените её: имя, места и партии останутся, а старая ссылка больше ничего не откроет. Другим вашим устройствам нужна новая.', '¿Alguien más ha visto el enlace? Cámbialo: conservas nombre, asientos y partidas, y el enlace antiguo ya no abre nada. Tus otros dispositivos necesitan el nuevo.'],
  replaced: ['Replaced. The old link opens nothing any more.', 'Заменено. Старая ссылка больше ничего не открывает.', 'Cambiado. El enlace antiguo ya no abre nada.'],
  show_link: ['Show the link', 'Показать ссылку', 'Mostrar el enlace'],
  become: ['Become this player here?', 'Стать здесь этим игроком?', '¿Ser aquí este jugador?'],
  here_now: ['You are {name} here. Keep this link if you want to be {name} again:', 'Здесь вы {name}. Сохраните эту ссылку, чтобы снова стать {name}:', 'Aquí eres {name}. Guarda este enlace para volver a ser {name}:'],
  again_link: ['Link to be {name} again', 'Ссылка, чтобы снова стать {name}', 'Enlace para volver a ser {name}'],
  be_again: ['Be {name} again', 'Снова стать {name}', 'Volver a ser {name}'],
  were_here: ['Who you were here before:', 'Кем вы были здесь раньше:', 'Quién eras aquí antes:'],
  become_how: ['You will have the seats and games of the other device. Those you have here stay with who you are now.', 'У вас будут места и партии другого устройства. Здешние останутся у того, кем вы были.', 'Tendrás los asientos y partidas del otro dispositivo. Los de aquí se quedan con quien eres ahora.'],
  yes: ['Yes', 'Да', 'Sí'],
  no: ['No', 'Нет', 'No'],

  // The board.
  board_empty: ['empty', 'пусто', 'vacío'],
  board_forbidden: ['forbidden to Black', 'запрещено чёрным', 'prohibido a Negras'],
  board_last: ['last move', 'последний ход', 'última jugada'],
  board_to_last: ['Last move (Home)', 'Последний ход (Home)', 'Última jugada (Inicio)'],
  board_winning: ['winning line', 'победный ряд', 'línea ganadora'],
  board_premove: ['your next move', 'ваш следующий ход', 'tu próxima jugada'],
  board_premove_set: ['{point} will be played at your turn', '{point} будет сыгран в ваш ход', '{point} se jugará en tu turno'],
  board_premove_gone: ['{point} will not be played', '{point} не будет сыгран', '{point} no se jugará'],
  board_premove_cancel: ['Cancel', 'Отменить', 'Cancelar'],
  board_not_now: ['No stone can be placed now', 'Сейчас камень поставить нельзя', 'Ahora no se puede colocar'],
  board_no_point: ['“{text}” is no point of this board', '«{text}» — такого пункта на доске нет', '«{text}» no es un punto de este tablero'],
  board_fit: ['Show everything (0)', 'Показать всё (0)', 'Mostrar todo (0)'],
  board_in: ['Larger (+)', 'Крупнее (+)', 'Acercar (+)'],
  board_out: ['Smaller (−)', 'Мельче (−)', 'Alejar (−)'],
  board_touch: ['Tap a point, then tap it again', 'Коснитесь пункта, затем ещё раз', 'Toca un punto y tócalo otra vez'],
  board_confirm: ['Place on {point}', 'Поставить на {point}', 'Colocar en {point}'],
  board_confirm_premove: ['Place on {point} next', 'Затем поставить на {point}', 'Luego colocar en {point}'],
  board_type: ['Point, such as h8', 'Пункт, например h8', 'Punto, por ejemplo h8'],

  // Help, replay and analysis.
  help: ['Help', 'Подсказки', 'Ayuda'],
  help_bot: ['Which bot helps', 'Какой бот помогает', 'Qué bot ayuda'],
  bot_engine: ['Engine', 'Движок', 'Motor'],
  bot_attack: ['Attack', 'Атака', 'Ataque'],
  bot_pattern: ['Patterns', 'Шаблоны', 'Patrones'],
  bot_minimax: ['Perfect', 'Безошибочный', 'Perfecto'],
  help_bot_move: ['Bot moves', 'Ход бота', 'Mueve el bot'],
  help_bot_move_how: ['The bot moves for you (D)', 'Бот ходит за вас (D)', 'El bot mueve por ti (D)'],
  help_weight: ['Weight', 'Вес', 'Peso'],
  help_weight_how: ['The weight of the point under the cursor (T)', 'Вес пункта под курсором (T)', 'El peso del punto bajo el cursor (T)'],
  help_weights: ['Heat map', 'Карта весов', 'Mapa de pesos'],
  help_weights_how: ['The weights of all candidates (W)', 'Веса всех кандидатов (W)', 'Los pesos de todos los candidatos (W)'],
  help_engine: ['Think along', 'Анализ', 'Analizar'],
  help_engine_how: ['The engine’s best moves and its line, live', 'Лучшие ходы движка и его вариант, сразу', 'Las mejores jugadas del motor y su línea, en vivo'],
  help_no_candidate: ['no candidate', 'не кандидат', 'no es candidato'],
  help_too_many: ['Too many analyses run from your network: stop one and try again.', 'Из вашей сети идёт слишком много анализов: остановите один и попробуйте снова.', 'Hay demasiados análisis desde tu red: detén uno e inténtalo de nuevo.'],
  thought_chance: ['{stone} {percent}%', '{stone}: {percent}%', '{stone} {percent}%'],
  thought_wins: ['{stone} wins', '{stone} выигрывают', 'Ganan {stone}'],
  thought_wins_in: ['{stone} wins in {plies}', '{stone} выигрывают в {plies}', 'Ganan {stone} en {plies}'],
  thought_depth: ['depth {depth} · {speed} k/s', 'глубина {depth} · {speed} т/с', 'profundidad {depth} · {speed} k/s'],
  show_best: ['Show the best play on the board', 'Показывать лучшую игру на доске', 'Mostrar el mejor juego en el tablero'],
  graph: ['Value of the game, move by move', 'Оценка партии по ходам', 'Valor de la partida, jugada a jugada'],
  reviewing: ['The engine looks at the game: {done} of {plies}', 'Движок смотрит партию: {done} из {plies}', 'El motor revisa la partida: {done} de {plies}'],
  no_review: ['There is no review of this game.', 'Разбора этой партии нет.', 'No hay análisis de esta partida.'],
  deciding: ['Deciding moves', 'Решающие ходы', 'Jugadas decisivas'],
  decided: ['decided', 'решил партию', 'decidió'],
  mistake: ['mistake', 'ошибка', 'error'],
  blunder: ['blunder', 'грубая ошибка', 'error grave'],
  autoplay: ['Play', 'Проиграть', 'Reproducir'],
  autoplay_stop: ['Stop', 'Стоп', 'Parar'],
  moves: ['Moves', 'Ходы', 'Jugadas'],
  analyse_how: ['Try moves for both sides, or read a game from a file.', 'Пробуйте ходы за обе стороны или откройте партию из файла.', 'Prueba jugadas de ambos lados o abre una partida.'],
  import: ['Import a game', 'Импорт партии', 'Importar una partida'],
  import_text: ['SGF, PSQ, or moves such as h8 i9', 'SGF, PSQ или ходы: h8 i9', 'SGF, PSQ o jugadas: h8 i9'],
  import_file: ['A file with a game', 'Файл с партией', 'Un archivo con una partida'],
  import_read: ['Read', 'Прочитать', 'Leer'],
  import_nothing: ['No moves were found in it.', 'Ходов не найдено.', 'No se encontraron jugadas.'],
  import_done: ['Moves read: {plies}', 'Прочитано ходов: {plies}', 'Jugadas leídas: {plies}'],
  import_long: ['The text is too long.', 'Текст слишком длинный.', 'El texto es demasiado largo.'],
  cut: ['Moves taken off the board: {plies}', 'Убрано ходов: {plies}', 'Jugadas quitadas: {plies}'],
  clear: ['Clear', 'Очистить', 'Vaciar'],
};

/** @typedef {keyof typeof TEXTS} TextKey */

/**
 * Whether there is such a text.
 * @param {string} key
 * @returns {key is TextKey}
 */
export function hasText(key) {
  return key in TEXTS;
}

/** @type {Language} */
let current = 'en';
choose();

/** The language that is spoken now, as the browser names it where it does: `en-GB`. */
export function language() {
  return navigator.languages.find((tag) => codeOf(tag) === current) ?? current;
}

/** Takes the language of the settings, or the browser's. */
export function choose() {
  const wanted = settings.language === 'auto' ? navigator.languages : [settings.language];
  const codes = wanted.map(codeOf);
  current = codes.flatMap((code) => ORDER.filter((known) => known === code))[0] ?? 'en';
}

/** @param {string} tag */
function codeOf(tag) {
  return tag.slice(0, 2).toLowerCase();
}

/**
 * A text, with what stands for `{name}` in it.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = TEXTS[key][ORDER.indexOf(current)] ?? TEXTS[key][0] ?? key;
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}
