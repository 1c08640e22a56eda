// The texts of the lessons in Spanish.

/** @type {typeof import('./en.js').texts} */
export const texts = {
  lessons: {
    tic_tac_toe: [
      'Tres en raya',
      'Gana quien alinea tres en un tablero de 3×3. Entre jugadores atentos, toda partida es tablas.',
      'En tableros mayores hay que alinear más.',
    ],
    freestyle: [
      'Gomoku libre',
      'Gana quien alinea cinco piedras, y también seis o más. Fíjate en el hueco de la fila de las negras.',
      'En el gomoku libre, seis en línea también ganan.',
    ],
    standard: [
      'Gomoku estándar',
      'Gana quien alinea exactamente cinco piedras. Seis no sirven, así que el hueco de las negras no vale nada aquí. ¿Dónde más pueden ganar?',
      'Exactamente cinco: eso vale siempre.',
    ],
    renju: [
      'Renju',
      'Empezar es una ventaja, así que el renju limita a las negras: ni doble tres, ni doble cuatro, ni seis en línea. Las blancas pueden hacerlo todo, y ganan con seis.',
      'Las jugadas prohibidas tienen sus lecciones más abajo.',
    ],
    caro: [
      'Caro',
      'Un cinco con los dos extremos cerrados por el rival no gana. Una de las dos filas de las negras ya está cerrada.',
      'Basta un extremo libre.',
    ],
    unbounded: [
      'Sin bordes',
      'El tablero sigue en todas las direcciones, y ningún borde ayuda a defender. Arrástralo para mirar alrededor.',
      'Todo lo demás es como en el gomoku libre.',
    ],
    stop_four: [
      'Un cuatro',
      'A cuatro en línea les falta una piedra para ganar. Este cuatro tiene un extremo libre: ocúpalo o pierdes.',
      'Un cuatro con un solo extremo libre se puede parar.',
    ],
    open_four: [
      'Un cuatro abierto',
      'Un cuatro con los dos extremos libres no se puede parar: el rival cierra uno y ganas por el otro.',
      'Por eso es peligroso un tres con los extremos libres.',
    ],
    stop_three: [
      'Un tres abierto',
      'Tres piedras con los extremos libres son un cuatro abierto con una más. Responde ahora: una jugada después es tarde.',
      'Tu piedra en un extremo deja a las negras, como mucho, un cuatro que se puede parar.',
    ],
    four_three: [
      'Cuatro y tres',
      'Las blancas tienen dos treses abiertos: no hay tiempo que perder. Una piedra hace a la vez un cuatro y un tres abierto, y las blancas solo pueden responder a uno.',
      'El cuatro obliga a las blancas, y el tres pasa a ser un cuatro abierto.',
    ],
    double_four: [
      'Doble cuatro',
      'Una piedra hace dos cuatros. Las blancas solo pueden cerrar uno.',
      'Dos cuatros en direcciones distintas ganan como un cuatro abierto.',
    ],
    double_three: [
      'Doble tres',
      'Una piedra hace dos treses abiertos. Las blancas solo pueden parar uno.',
      'Sirve si las blancas no tienen un cuatro con el que ganar un tiempo. En renju está prohibido para las negras.',
    ],
    vcf: [
      'Cadena de cuatros',
      'Las blancas tienen un tres abierto, pero a cada cuatro hay que responder. Juega cuatro tras cuatro, hasta que uno traiga una segunda amenaza.',
      'Una cadena así se llama VCF: victoria solo con cuatros.',
    ],
    forbidden_double_three: [
      'Prohibido: doble tres',
      'En renju, las negras no pueden hacer dos treses abiertos con una piedra.',
      'Las blancas sí pueden jugar ahí, y a menudo les conviene.',
    ],
    forbidden_double_four: [
      'Prohibido: doble cuatro',
      'En renju, las negras no pueden hacer dos cuatros con una piedra.',
      'Un solo cuatro, también con un solo tres, está permitido.',
    ],
    forbidden_overline: [
      'Prohibido: seis en línea',
      'En renju, las negras no pueden hacer seis o más en línea.',
      'Así, dos filas de las negras pueden estorbarse.',
    ],
    five_first: [
      'El cinco va primero',
      'Un punto hace cinco en línea y dos treses abiertos. En renju, un cinco gana haga lo que haga además la piedra.',
      'Exactamente cinco: seis seguiría prohibido.',
    ],
    renju_four_three: [
      'Cómo ganan las negras en renju',
      'Los dobles treses y cuatros están prohibidos, pero un cuatro junto con un tres no lo está. Así suelen ganar las negras.',
      'Cuida de que ninguna fila llegue a ser una forma prohibida.',
    ],
    trap: [
      'La trampa',
      'Las blancas hacen un cuatro y las negras deben cerrarlo. Elige un cuatro cuya única respuesta sea un punto prohibido para las negras.',
      'Las negras no pueden responder. Estas trampas son la fuerza de las blancas en renju.',
    ],
    swap: [
      'Swap',
      'Coloca tres piedras, negra, blanca y negra, de modo que los dos colores tengan las mismas opciones. Tu rival elige color.',
      '',
    ],
    swap2: [
      'Swap2',
      'Coloca tres piedras como en Swap. Tu rival tiene además una tercera opción, así que una posición desigual no ayuda a nadie.',
      '',
    ],
    pro: [
      'Pro',
      'La primera piedra de las negras va en el centro, y la segunda lejos de ella. Coloca las tres primeras piedras.',
      '',
    ],
    long_pro: [
      'Long Pro',
      'Como Pro, pero la segunda piedra de las negras va aún más lejos. Coloca las tres primeras piedras.',
      '',
    ],
    rif: [
      'RIF',
      'El renju empieza cerca del centro: la piedra blanca junto a la primera y la segunda negra dentro de 5×5. Giradas y reflejadas, hay 26 aperturas así.',
      '',
    ],
    yamaguchi: [
      'Yamaguchi',
      'Las tres primeras piedras son las de RIF. Colócalas: también dices cuántas opciones para la quinta jugada ofrecen las negras.',
      '',
    ],
    soosyrv8: [
      'Soosyrv-8',
      'Las tres primeras piedras son las de RIF. Colócalas: después, las blancas dicen cuántas opciones para la quinta jugada ofrecen las negras.',
      '',
    ],
    taraguchi10: [
      'Taraguchi-10',
      'Cada piedra va en un cuadrado mayor que la anterior, y los jugadores pueden cambiar de color después de cada una. Coloca las tres primeras.',
      '',
    ],
  },
  lessons_list: 'Lecciones',
  chapters: { rules: 'Las reglas', wins: 'Cómo ganar', forbidden: 'Prohibido en renju', openings: 'Aperturas' },
  rated: {
    title: 'Partidas por puntos',
    texts: [
      'Dos cuentas no pueden sacarse puntos la una a la otra. Su partida es amistosa si ambas se han usado en un mismo dispositivo, o en una misma dirección en la última hora. Después de una partida con menos de 12 piedras o de menos de un minuto, la revancha es amistosa hasta que uno de los dos juegue con otra persona. La segunda partida de los dos en un día cuenta la mitad, la tercera un tercio, y así sucesivamente.',
      'Mientras se juega una partida por puntos, aquí nadie recibe ayuda con su posición, ni con otra que se diferencie en una o dos piedras. En una partida diaria eso vale solo para sus dos jugadores. Otros programas, otros servidores y personas a tu lado sí pueden ayudar: un servidor no puede impedirlo. Revisa las partidas cuando terminan, y deciden personas.',
    ],
  },
  goals: {
    five: 'Juegan {stone}: gana de inmediato.',
    win: 'Juegan {stone}: gana de forma forzada.',
    defend: 'Juegan {stone}: detén la amenaza.',
    forbidden: 'Busca el punto prohibido para las negras.',
    place: 'Coloca la piedra {at} de {total}.',
  },
  wrong: {
    five: 'Eso no gana de inmediato. Prueba otro punto.',
    win: 'Tu rival puede responder a eso. Prueba otro punto.',
    defend: 'Tu rival gana igualmente. Prueba otro punto.',
    forbidden: 'Las negras pueden jugar ahí. Prueba otro punto.',
  },
  decide: 'Ahora el otro lado: tu rival ha puesto las piedras y decides tú.',
  practise: 'Practicar la decisión',
  engine_says: 'El motor dice: {value}.',
  all_done: 'Esta era la última lección. Juega una partida o resuelve un problema.',
  right: 'Correcto.',
  answers: 'Correcto: {stone} responden en {point}. Sigue.',
  try_point: 'Prueba {point}.',
  show: 'Muéstrame',
  again: 'Empezar de nuevo',
  next: 'Lección siguiente',
  play_it: 'Jugar',
  learned: 'completada',
};
