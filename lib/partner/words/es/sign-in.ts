import { brandName } from "../../../../brand/name.ts";
import type * as english from "../en/sign-in.ts";
import type { Translation } from "../translation.ts";

export const signUp: Translation<typeof english.signUp> = {
  title: `Venda en ${brandName}`,
  pageTitle: "Registro",
  lead: "Crear una cuenta toma un minuto. Configurar los pagos toma dos más.",
  phoneHint:
    "Un número de EE. UU., como (415) 555-0123. Le enviaremos un código por mensaje de texto cada vez que inicie sesión.",
  passwordHint: "Al menos {min} caracteres. Una frase corta es fácil de recordar.",
  submit: "Continuar",
  signIn: "¿Ya tiene una cuenta? <link>Inicie sesión</link>",
};

export const signIn: Translation<typeof english.signIn> = {
  title: "Iniciar sesión",
  lead: "Ingrese su contraseña y le enviaremos un código por mensaje de texto.",
  leadPhoneVerified:
    "Su teléfono está verificado. Ahora ingrese su contraseña y le enviaremos un código por mensaje de texto, como siempre.",
  ended: {
    title: "Su sesión terminó",
    text: "No se envió nada. Inicie sesión otra vez para continuar donde se quedó.",
  },
  noCode: {
    title: "Empiece de nuevo",
    text: "Su inicio de sesión o registro venció, o su navegador bloquea las cookies. Si vuelve a ocurrir, permita las cookies de este sitio.",
  },
  hasAccount: {
    title: "Usted ya tiene una cuenta",
    text: "Su correo electrónico está verificado y pertenece a una cuenta. Inicie sesión con la contraseña de esa cuenta.",
  },
  submit: "Continuar",
  signUp: `¿Es la primera vez que usa ${brandName}? <link>Regístrese</link>`,
  demo: {
    title: "O inicie sesión como usuario de prueba",
    text: "No necesita contraseña. El código llega al teléfono de la barra que está arriba de la página.",
    seller: "{name}, vendedor",
    operator: "{name}, operador",
    pending: "Un momento",
  },
  problems: {
    title: "No pudimos iniciar su sesión",
    noMatch: "El correo electrónico y la contraseña no coinciden. Revíselos e intente de nuevo.",
    waitTitle: "Espere antes de volver a intentarlo",
    waitMinutes: "Hizo demasiados intentos. Vuelva a intentarlo en {count, plural, one {un minuto} other {# minutos}}.",
    waitHours: "Hizo demasiados intentos. Vuelva a intentarlo en {count} horas.",
  },
};

export const code: Translation<typeof english.code> = {
  titleEmail: "Revise su correo",
  titlePhone: "Revise su teléfono",
  titlePhoneFirst: "Primero verifique su teléfono",
  leadEmail:
    "Enviamos un código de {digits} dígitos a {email}. Después le enviaremos otro por mensaje de texto a su teléfono.",
  leadPhone: "Enviamos un código de {digits} dígitos por mensaje de texto a su teléfono terminado en {ending}.",
  leadPhoneOfSignUp:
    "Su correo electrónico está verificado. Enviamos un código de {digits} dígitos por mensaje de texto a su teléfono terminado en {ending}.",
  leadPhoneFirst:
    "Hubo demasiadas contraseñas incorrectas para esta cuenta. Para continuar en este dispositivo, ingrese el código de {digits} dígitos que enviamos por mensaje de texto al teléfono de la cuenta. Después ingrese su contraseña.",
  startOver: "Empezar de nuevo",
  verify: "Verificar",
  verifying: "Verificando…",
  resend: "Reenviar código",
  noEmail:
    "¿No recibió el correo? Revise su carpeta de correo no deseado y la dirección de arriba, o <link>inicie sesión</link> si ya tiene una cuenta.",
  noText: "¿No recibió el mensaje? Reenvíe el código o <link>empiece de nuevo</link>.",
  noTextOfSignUp: "¿No recibió el mensaje? Revise su número, o <link>inicie sesión</link> si ya tiene una cuenta.",
  changeEmail: {
    title: "¿La dirección es incorrecta? Cámbiela",
    hint: "Enviaremos un código nuevo a esta dirección. Conservamos sus otras respuestas.",
    submit: "Cambiar la dirección",
  },
  changePhone: {
    title: "¿El número es incorrecto? Cámbielo",
    hint: "Enviaremos un código nuevo por mensaje de texto a este número. Conservamos sus otras respuestas.",
    submit: "Cambiar el número",
  },
  devices: {
    phone: "Su teléfono",
    inbox: "Su bandeja de entrada",
  },
  problems: {
    enterFromEmail: "Ingrese los {digits, select, ten {diez} other {seis}} dígitos del correo.",
    enterFromText: "Ingrese los {digits, select, ten {diez} other {seis}} dígitos del mensaje de texto.",
    expired: "Este código venció. Pida uno nuevo.",
    lastTry: "Ese no es el código, y era su último intento. Pida uno nuevo.",
    wrong: "Ese no es el código. Le {count, plural, one {queda 1 intento} other {quedan # intentos}}.",
    notFromEmail: "Ese no es el código de diez dígitos que le enviamos por correo.",
    notFromText: "Ese no es el código de diez dígitos que le enviamos por mensaje de texto.",
    longForEmail:
      "Hoy se ingresaron demasiados códigos incorrectos para este correo electrónico. Ingrese el código de diez dígitos que le enviamos.",
    longForPhone:
      "Hoy se ingresaron demasiados códigos incorrectos para este teléfono. Ingrese el código de diez dígitos que le enviamos.",
  },
  notices: {
    tooSoon: "Acabamos de enviar un código. Espere {seconds} segundos.",
    sent: "Un código nuevo va en camino.",
    longByEmail: "Ingrese el código de diez dígitos que le enviamos por correo. Funciona durante varias horas.",
    longByText:
      "Ingrese el código de diez dígitos que le enviamos por mensaje de texto. Funciona durante varias horas.",
  },
};

export const person: Translation<typeof english.person> = {
  firstName: "Nombre",
  lastName: "Apellido",
  email: "Correo electrónico",
  phone: "Teléfono celular",
  password: "Contraseña",
  problems: {
    long: "{what} puede tener como máximo {max} caracteres.",
    characters: "{what} contiene un carácter que no podemos usar. Escríbalo de nuevo.",
    yourFirstName: "Su nombre",
    yourLastName: "Su apellido",
    yourEmail: "Su correo electrónico",
    yourPassword: "Su contraseña",
    noFirstName: "Ingrese su nombre.",
    noLastName: "Ingrese su apellido.",
    noEmail: "Ingrese su correo electrónico.",
    email: "Ingrese su correo electrónico completo, como nombre@ejemplo.com.",
    noPassword: "Ingrese su contraseña.",
    choosePassword: "Elija una contraseña de al menos {min} caracteres.",
    noPhone: "Ingrese su número de celular.",
    phoneLetters: "Ingrese su número de celular solo con dígitos, como (415) 555-0123.",
    phoneAreaCode: "Revise el código de área de su celular. En EE. UU. ninguno empieza con 0 ni con 1.",
    phoneAbroad: "Ingrese un número de celular de EE. UU. Solo podemos enviar mensajes a números de EE. UU.",
    phoneNoAreaCode: "Ingrese su número de celular con el código de área, como (415) 555-0123.",
    phone: "Ingrese los diez dígitos de su número de celular, como (415) 555-0123.",
  },
};

export const messages: Translation<typeof english.messages> = {
  codeSubject: `Su código de ${brandName}`,
  code: `Su código de ${brandName} es {code}. Funciona durante {minutes} minutos. ${brandName} nunca le llamará para pedírselo.`,
  longCodeSubject: `Su código más largo de ${brandName}`,
  longCode: `Su código más largo de ${brandName} es {code}. Funciona durante varias horas. Ha habido muchos intentos de iniciar sesión o de registrarse. Si no fueron suyos, no tiene que hacer nada. ${brandName} nunca le llamará para pedírselo.`,
  takenSubject: `Usted ya tiene una cuenta en ${brandName}`,
  taken: `Alguien acaba de intentar registrarse en ${brandName} con su correo electrónico. Si fue usted, ya tiene una cuenta: inicie sesión en {address}. Si no fue usted, no tiene que hacer nada.`,
};
