// libexpat, as it is.
#pragma once
#include <expat.h>
